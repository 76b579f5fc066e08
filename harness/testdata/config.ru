# A rack application for the tests: it answers, allocates, and fails on request.
class Pages
  KEPT = Array.new(20_000) { |i| "kept #{i}" }
  OK = { "content-type" => "text/plain" }.freeze

  def call(env)
    case env["PATH_INFO"]
    when "/up" then answer(200, "up")
    when "/page" then answer(200, "page " + work.to_s)
    when "/pid" then answer(200, Process.pid.to_s)
    when "/moved" then [301, OK.merge("location" => "/login"), []]
    when "/broken" then answer(500, "broken")
    when "/die" then Process.kill(:KILL, Process.pid)
    else answer(404, "nothing here")
    end
  end

  private

  def answer(status, text)
    [status, OK, [text]]
  end

  # Garbage of the kind that rendering a page makes.
  def work
    Array.new(3_000) { |i| "row #{i}" }.sum(&:length)
  end
end

run Pages.new
