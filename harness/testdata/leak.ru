# A rack application that keeps 20 kB of each request for ever.
KEPT = []

run(lambda do |env|
  KEPT << "x" * 20_000 if env["PATH_INFO"] == "/page"
  [200, { "content-type" => "text/plain" }, ["page #{Array.new(500) { |i| "row #{i}" }.sum(&:length)}"]]
end)
