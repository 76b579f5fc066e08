# A rack application whose worker asks to be replaced at its 150th page, as the
# killers of large workers do.
served = 0

run(lambda do |env|
  served += 1 if env["PATH_INFO"] == "/page"
  Process.kill(:TERM, Process.pid) if served == 150
  [200, { "content-type" => "text/plain" }, ["page"]]
end)
