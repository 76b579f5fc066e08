# The test application on WEBrick: ruby webrick.rb PORT.
require "webrick"
port = Integer(ARGV.fetch(0))
server = WEBrick::HTTPServer.new(BindAddress: "127.0.0.1", Port: port, AccessLog: [], Logger: WEBrick::Log.new($stderr, WEBrick::Log::WARN))
server.mount_proc("/up") { |_, response| response.body = "up" }
server.mount_proc("/page") { |_, response| response.body = "page #{Array.new(3_000) { |i| "row #{i}" }.sum(&:length)}" }
%w[TERM INT].each { |signal| trap(signal) { server.shutdown } }
server.start
