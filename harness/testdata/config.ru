# A rack application for the tests: it answers, allocates, and fails on request.
class Pages
  KEPT = Array.new(20_000) { |i| "kept #{i}" }
  OK = { "content-type" => "text/plain" }.freeze

  def call(env)
    case env["PATH_INFO"]
    when "/up" then answer(200, "up")
    when "/page" then answer(200, "page " + work.to_s)
    when "/cold" then answer(200, "page #{cold}")
    when "/filling" then answer(200, "page #{filling}")
    when "/mortal" then answer(200, mortal)
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

  # The first sixty requests are those of a cold cache.
  def cold
    @asked = @asked.to_i + 1
    @asked <= 60 ? Array.new(6) { work }.first : work
  end

  # The first two hundred requests fill a cache of 200 MB, which takes long.
  def filling
    @asked = @asked.to_i + 1
    return work if @asked > 200
    (@cache ||= []) << "x" * 1_000_000
    Array.new(6) { work }.first
  end

  # A worker that ends after as many requests; its master begins another one.
  def mortal
    @asked = @asked.to_i + 1
    Thread.new { Process.kill(:QUIT, Process.pid) } if @asked == 150
    "page #{work}"
  end

  # Garbage of the kind that rendering a page makes.
  def work
    Array.new(3_000) { |i| "row #{i}" }.sum(&:length)
  end
end

run Pages.new
