# A server of one process that answers and one that watches: ruby forking.rb PORT
# ENDS KEEPS. The one that answers ends after the given number of pages, and is
# replaced; 0 lets it live. It keeps the given number of megabytes.
require "socket"
port, ends, KEEPS = ARGV.map { |text| Integer(text) }
listener = TCPServer.new("127.0.0.1", port)
%w[TERM INT].each { |signal| trap(signal) { exit! } }

def answer(connection, listener, ends)
  kept = "x" * (KEEPS.to_i << 20)
  pages = 0
  loop do
    while (line = connection.gets)
      pages += 1 if line.start_with?("GET /page")
      next unless line == "\r\n"
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage")
      exit! if ends > 0 && pages >= ends && kept
    end
    connection = listener.accept
  end
end

loop do
  worker = fork { answer(listener.accept, listener, ends) }
  Process.wait(worker)
end
