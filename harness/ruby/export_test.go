package ruby

// ParseEcho is exported to be fuzzed.
var ParseEcho = parseEcho

// ParseLegacyEcho is exported to be fuzzed.
func ParseLegacyEcho(stderr string) map[string]struct{ Number, Usual string } {
	said := map[string]struct{ Number, Usual string }{}
	for name, e := range parseLegacyEcho(stderr) {
		said[name] = struct{ Number, Usual string }{e.number, e.usual}
	}
	return said
}
