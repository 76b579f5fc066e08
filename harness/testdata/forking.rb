# A server of one process that answers and one that watches: ruby forking.rb PORT
# ENDS. The one that answers ends after the given number of pages, and is
# replaced; 0 lets it live.
require "socket"
port, ends = ARGV.map { |text| Integer(text) }
listener = TCPServer.new("127.0.0.1", port)
%w[TERM INT].each { |signal| trap(signal) { exit! } }

def answer(connection, listener, ends)
  pages = 0
  loop do
    while (line = connection.gets)
      pages += 1 if line.start_with?("GET /page")
      next unless line == "\r\n"
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage")
      exit! if ends > 0 && pages >= ends
    end
    connection = listener.accept
  end
end

loop do
  worker = fork { answer(listener.accept, listener, ends) }
  Process.wait(worker)
end
