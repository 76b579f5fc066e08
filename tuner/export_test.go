package tuner

// Costs are those of a minor and of a major collection per 1000 requests, relative to
// the rest of a request's time, as learnt from trials.
func Costs(trials []Scored) (minor, major float64) {
	c := costsOf(trials)
	return c.minor, c.major
}
