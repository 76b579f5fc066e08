# A batch program: some work that makes garbage.
kept = Array.new(30_000) { |i| "kept #{i}" }
total = 0
300.times { total += Array.new(1_000) { |i| "row #{i}" }.sum(&:length) }
puts total, kept.size
