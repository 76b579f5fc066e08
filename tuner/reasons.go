package tuner

// Reasons say why collections ran, over the windows of a study's trials.
type Reasons struct {
	// Trials were measured with their reasons known, those without a collection
	// included.
	Trials int
	// Collections ran in them, of which Seen were seen with their reasons.
	Collections, Seen float64

	counts map[string]float64
}

// collectionsSeen is the number of collections that a run's shares are of.
const collectionsSeen = "gc_reasons_seen"

// ReasonsOf adds up the reasons of all measured trials. It is false where none of
// them has any: the interpreter does not tell, or hardly collects.
func ReasonsOf(trials []Scored) (Reasons, bool) {
	r := Reasons{counts: map[string]float64{}}
	for _, t := range trials {
		if t.Metrics == nil {
			continue
		}
		known := false
		for _, run := range t.Runs {
			known = r.add(run.Metrics) || known
		}
		if known {
			r.Trials++
		}
	}
	return r, r.Seen > 0
}

func (r *Reasons) add(metrics map[string]float64) (known bool) {
	count, counted := metrics["gc_count"]
	seen, told := metrics[collectionsSeen]
	if !told && (!counted || count > 0) {
		return false
	}
	r.Collections += max(count, seen)
	r.Seen += seen
	for name, value := range metrics {
		r.counts[name] += value * seen
	}
	return true
}

// Share is the part of the collections seen that a metric, a share of them, has
// over all trials.
func (r Reasons) Share(metric string) float64 { return r.counts[metric] / r.Seen }

// unseen is the part of the collections that may be unseen where something is said
// of all of them: those that run while the probe itself counts are.
const unseen = 0.05

// leastSeen collections without a reason leave it less than a twentieth of all, at
// 95 % confidence.
const leastSeen = 60

// Never reports whether no collection had the reason. It is false, too, where too
// many were not seen, or too few have run, to say so.
func (r Reasons) Never(metric string) bool {
	_, told := r.counts[metric]
	return told && r.counts[metric] == 0 && r.Seen >= leastSeen && r.Seen >= (1-unseen)*r.Collections
}
