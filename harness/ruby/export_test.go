package ruby

// ParseEcho is exported to be fuzzed.
var ParseEcho = parseEcho
