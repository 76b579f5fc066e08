package tuner

import "github.com/gctune/gctune/tuner/gcmodel"

// costs are what a request takes of CPU time for a thousandth of a collection, as
// counts are per 1000 requests. The unit is its CPU time without collection.
type costs struct{ minor, major float64 }

// request is the cost of a request under a setting.
func (c costs) request(p gcmodel.Prediction) float64 {
	return 1 + c.minor*p.MinorPer1000.Estimate + c.major*p.MajorPer1000.Estimate
}

// What is taken for true until trials show otherwise. A major collection marks all
// live objects and not the young alone: on a Rails application it took 4.6 times a
// minor one's time.
const (
	usualMajor = 4.0 // minor collections
	usualShare = 0.2 // of CPU time in collection
)

// costsOf learns what collections cost from the share of CPU time in collection, as
// seen in trials, by least squares. One more trial is made up in which minor and
// major collections have their usual ratio, so that the kind that no trial has shown
// gets a cost, too.
func costsOf(trials []Scored) costs {
	var s sums
	baseline := 0.0 // collections, in minor ones
	for _, t := range trials {
		minor, major, known := countsPer1000(t)
		if !known {
			continue
		}
		if baseline == 0 {
			baseline = minor + usualMajor*major
		}
		if share, told := t.Metrics[gcShare]; told && share < 1 {
			s.add(minor, major, share/(1-share))
		}
	}
	if baseline == 0 {
		return costs{}
	}
	minor, major := s.solve(baseline)
	return costs{minor, major}
}

// countsPer1000 are the collections of a trial. Collectors without generations have
// major ones only.
func countsPer1000(t Scored) (minor, major float64, known bool) {
	count, counted := t.Metrics[collectionRate]
	if t.Losses == nil || !counted {
		return 0, 0, false
	}
	if all := t.Metrics["gc_count"]; all > 0 {
		minor = count * t.Metrics["gc_minor_count"] / all
	}
	return minor, count - minor, true
}

// sums are those of a regression of the time in collection, relative to the rest of
// the time, on the collections of both kinds.
type sums struct{ mm, mM, MM, mt, Mt float64 }

func (s *sums) add(minor, major, time float64) {
	s.mm += minor * minor
	s.mM += minor * major
	s.MM += major * major
	s.mt += minor * time
	s.Mt += major * time
}

// solve returns the costs of both kinds. The trial that is made up says
// major − usualMajor·minor = 0, with the weight of a trial with a tenth of the
// baseline's collections.
func (s sums) solve(baseline float64) (minor, major float64) {
	weight := baseline * baseline / 100
	mm, mM, MM := s.mm+usualMajor*usualMajor*weight, s.mM-usualMajor*weight, s.MM+weight
	if determinant := mm*MM - mM*mM; determinant > 0 {
		minor, major = (s.mt*MM-s.Mt*mM)/determinant, (s.Mt*mm-s.mt*mM)/determinant
	}
	if !(minor > 0) || !(major > 0) { // nothing was told, or noise rules
		minor = usualShare / (1 - usualShare) / baseline
		major = usualMajor * minor
	}
	return minor, major
}
