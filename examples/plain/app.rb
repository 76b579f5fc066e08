# A blog to tune, for every Ruby from 1.8.7 on: ruby app.rb PORT

begin
  require 'webrick'
rescue LoadError
  abort 'this Ruby comes without WEBrick: install the gem webrick (Debian: ruby-webrick)'
end
here = File.dirname(File.expand_path(__FILE__))
require File.join(here, 'blog')
require File.join(here, 'pages')

class Server < WEBrick::HTTPServer
  # WEBrick sends an answer's head and body apart. The kernel would keep the
  # body back until the client has acknowledged the head, which one that keeps
  # its connection open does 40 ms late.
  def run(socket)
    socket.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1)
    super
  end
end

def stop_by(&how)
  %w(TERM INT).each { |signal| trap(signal) { how.call } }
end

stop_by { exit } # also while the blog is being made
port = Integer(ARGV.fetch(0) { abort 'usage: ruby app.rb PORT' })
pages = Pages.new(Blog.new(Integer(ENV['BLOG_POSTS'] || 550)))
server = Server.new(
  :BindAddress => '127.0.0.1', :Port => port, :DoNotReverseLookup => true,
  :AccessLog => [], :Logger => WEBrick::Log.new($stderr, WEBrick::Log::WARN)
)
Pages::ADDRESSES.each do |path, page|
  server.mount_proc(path) do |_, response|
    response['Content-Type'] = 'text/html'
    response.body = pages.send(page)
  end
end
stop_by { server.shutdown }
server.start
