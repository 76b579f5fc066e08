# The test application on WEBrick: ruby webrick.rb PORT.
require "webrick"
port = Integer(ARGV.fetch(0))
# Head and body go out in two packets; without this a kept connection waits 40 ms
# between them.
class Prompt < WEBrick::HTTPServer
  def run(socket)
    socket.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1)
    super
  end
end

server = Prompt.new(BindAddress: "127.0.0.1", Port: port, AccessLog: [], Logger: WEBrick::Log.new($stderr, WEBrick::Log::WARN))
server.mount_proc("/up") { |_, response| response.body = "up" }
server.mount_proc("/page") { |_, response| response.body = "page #{Array.new(3_000) { |i| "row #{i}" }.sum(&:length)}" }
%w[TERM INT].each { |signal| trap(signal) { server.shutdown } }
server.start
