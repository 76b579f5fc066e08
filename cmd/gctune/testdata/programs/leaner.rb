# A batch program that takes 50 MB less with the first of the settings in public
# use, whatever the collector does: a setting that surely is on the front.
kept = "x" * (ENV["RUBY_GC_HEAP_GROWTH_FACTOR"] ? 10_000_000 : 60_000_000)
total = 0
300.times { total += Array.new(1_000) { |i| "row #{i}" }.sum(&:length) }
sleep 0.1 # memory is sampled every 20 ms
puts total, kept.size
