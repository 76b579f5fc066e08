package process

import (
	"math"
	"slices"
)

// summarise reduces a window of samples. The percentile is of the nearest rank:
// the smallest sample that 95 % of the samples do not exceed.
func summarise(samples []Sample) MemorySummary {
	summary := MemorySummary{Samples: len(samples), Times: samples, HavePSS: len(samples) > 0}
	pss, rss := make([]int64, len(samples)), make([]int64, len(samples))
	for i, m := range samples {
		pss[i], rss[i] = m.PSS, m.RSS
		summary.HavePSS = summary.HavePSS && m.HavePSS
	}
	summary.RSS = seriesOf(rss)
	if summary.HavePSS {
		summary.PSS = seriesOf(pss)
	}
	return summary
}

func seriesOf(values []int64) Series {
	if len(values) == 0 {
		return Series{}
	}
	slices.Sort(values)
	var sum float64
	for _, v := range values {
		sum += float64(v)
	}
	rank := int(math.Ceil(0.95 * float64(len(values))))
	return Series{
		Peak: values[len(values)-1],
		P95:  values[rank-1],
		Mean: int64(math.Round(sum / float64(len(values)))),
	}
}
