package problems

import "math"

// The problems whose figures for other searches are published in docs/search.md.
// The hypervolume of each front was found by long climbs; a test holds it against
// a climb of its own.

// relativeNoise of throughput and memory in problems with noise.
var relativeNoise = [2]float64{0.03, 0.01}

func published() []model {
	blog, blogVolume := blogModel()
	site, siteVolume := siteModel()
	noisy := site
	noisy.name, noisy.noise = site.name+"_noisy", relativeNoise
	ridge, ridgeVolume := ridgeModel()
	blog.best, site.best, noisy.best, ridge.best = blogVolume, siteVolume, siteVolume, ridgeVolume
	return []model{blog, site, noisy, ridge}
}

// blogModel is a blog's page on Ruby 1.8.
func blogModel() (model, float64) {
	w := slotHeap{
		live: 550e3, transient: 120e3, allocation: 90e3, bytes: 22e6, milliseconds: 95,
		mark: 120, sweep: 16, base: 60e6, extra: 120e6, growth: 1.8, requests: 400,
	}
	parameters := slotHeapParameters()
	return model{
		name: "mri_blog", parameters: parameters,
		reference: [2]float64{math.Exp(1.033976297904927), math.Exp(6.775855793435288)},
		formula: func(v map[string]float64) (float64, float64, bool) {
			p := ordered(parameters, v)
			throughput, memory := w.evaluate(p[0], p[1], p[2], p[3])
			return throughput, memory, true
		},
	}, 1.4520287577071933
}

// siteModel is an application on Ruby 2.1 to 3.2, with four parameters that
// matter and four that hardly do.
func siteModel() (model, float64) {
	w := generational{
		old: 700e3, young: 25e3, allocation: 250e3, bytes: 20e6, promoted: 1800, promotedBytes: 0.8e6,
		milliseconds: 40, mark: 100, sweep: 10, base: 60e6, extra: 90e6, requests: 1000, pauseOfOldInMinors: 0.02,
	}
	parameters := generationalParameters()
	return model{
		name: "gen8", parameters: parameters,
		reference: [2]float64{math.Exp(2.9358958832158755), math.Exp(6.615593875447969)},
		formula: func(v map[string]float64) (float64, float64, bool) {
			throughput, memory := w.evaluate([8]float64(ordered(parameters, v)))
			return throughput, memory, true
		},
	}, 0.14908059230634316
}

// ridgeModel is ZDT1 (E. Zitzler, K. Deb, L. Thiele, Comparison of multiobjective
// evolutionary algorithms, Evolutionary Computation 8(2), 2000) with a quadratic
// ridge whose bottom is off the edges, and without logarithms.
func ridgeModel() (model, float64) {
	bottom := []float64{0, 0.3, 0.62, 0.41, 0.75, 0.2}
	var bounds []bound
	for i := range bottom {
		bounds = append(bounds, bound{"x" + string(rune('0'+i)), 1000, 1_000_000})
	}
	parameters := logarithmic(bounds...)
	return model{
		name: "zdt1l", parameters: parameters, linear: true,
		reference: [2]float64{2.9, 1.2000006325371575},
		formula: func(v map[string]float64) (float64, float64, bool) {
			p := ordered(parameters, v)
			x := func(i int) float64 { return math.Log(p[i]/1e3) / math.Log(1e3) }
			sum := 0.0
			for i := 1; i < len(p); i++ {
				sum += math.Pow((x(i)-bottom[i])/max(bottom[i], 1-bottom[i]), 2)
			}
			g := 1 + 9*sum/5
			return 4 - x(0), g*(1-math.Sqrt(x(0)/g)) + 0.1, true
		},
	}, 0.8766244074840629
}
