package problems

import (
	"math"

	"github.com/gctune/gctune/tuner/space"
)

// heapModel is a collector with two reasons to collect: slots used up, and bytes
// allocated. A heap that starts too small grows by steps and overshoots, which
// makes cliffs; DELAY hardly matters. Slots and limit trade throughput for
// memory, so that the front is known from a grid over the two.
func heapModel() model {
	const live, slotsPerRequest, bytesPerRequest = 420e3, 70e3, 5e6
	formula := func(v map[string]float64) (float64, float64, bool) {
		slots, steps := v["SLOTS"], 0.0
		for ; slots < 1.15*live && steps < 200; steps++ {
			slots += max(min(slots*(v["GROWTH"]-1), v["GROWTH_MAX"]), 8000)
		}
		slots = max(slots, 1.15*live)
		period := min((slots-live)/slotsPerRequest, v["LIMIT"]/bytesPerRequest)
		collection := (90*live + 7*slots) / 1e6
		old := 1 + 0.25*math.Pow(math.Log(v["OLD"]/1.7), 2)
		request := 25*(1+0.003*math.Log(200/v["DELAY"])) + collection*old/period + 0.05*steps
		memory := 110e6 + 40*slots + 1.2*bytesPerRequest*period*old + 0.1*v["LIMIT"]
		return 1000 / request, memory / 1e6, true
	}
	return model{
		name: "heap", formula: formula, reference: [2]float64{24, 330},
		parameters: []space.Parameter{
			{Name: "SLOTS", Scale: space.Log, Min: 10_000, Max: 5_000_000},
			{Name: "GROWTH", Kind: space.Float, Scale: space.Log, Min: 1.05, Max: 4},
			{Name: "GROWTH_MAX", Scale: space.Log, Min: 1000, Max: 2_000_000},
			{Name: "LIMIT", Scale: space.Log, Min: 1_000_000, Max: 400_000_000},
			{Name: "OLD", Kind: space.Float, Scale: space.Log, Min: 1.05, Max: 8},
			{Name: "DELAY", Min: 1, Max: 200},
		},
		front: func() []map[string]float64 {
			var grid []map[string]float64
			for _, slots := range geometric(1.15*live, 5e6, 600) {
				for _, limit := range geometric(1e6, 400e6, 600) {
					grid = append(grid, map[string]float64{
						"SLOTS": slots, "LIMIT": limit, "GROWTH": 2, "GROWTH_MAX": 1e6, "OLD": 1.7, "DELAY": 200})
				}
			}
			return grid
		},
	}
}

// workersModel has a choice, a small integer, and settings that crash: too few
// slots to boot, and more memory than the machine has.
func workersModel() model {
	overhead := []float64{1.35, 1, 1.12} // of memory, by allocator
	speed := []float64{1, 0.97, 1.02}
	formula := func(v map[string]float64) (float64, float64, bool) {
		workers, slots, allocator := v["WORKERS"], v["SLOTS"], int(v["ALLOCATOR"])
		collections := 40 / (1 + slots/90e3)
		throughput := 60 * speed[allocator] * math.Pow(workers, 0.85) / (1 + 0.02*collections)
		throughput /= 1 + 0.04*math.Pow(math.Log(v["BATCH"]/300), 2)
		memory := overhead[allocator] * (90 + workers*(55+slots*40e-6))
		return throughput, memory, slots >= 30_000 && memory <= 1600
	}
	return model{
		name: "workers", formula: formula, reference: [2]float64{90, 1200},
		parameters: []space.Parameter{
			{Name: "WORKERS", Min: 1, Max: 12},
			{Name: "SLOTS", Scale: space.Log, Min: 5000, Max: 4_000_000, Digits: 3},
			{Name: "ALLOCATOR", Kind: space.Choice, Values: []string{"plain", "compact", "quick"}},
			{Name: "BATCH", Scale: space.Log, Min: 10, Max: 10_000},
		},
		front: func() []map[string]float64 {
			var grid []map[string]float64
			for workers := 1.0; workers <= 12; workers++ {
				for allocator := range overhead {
					for _, slots := range geometric(30_000, 4e6, 500) {
						grid = append(grid, map[string]float64{
							"WORKERS": workers, "SLOTS": slots, "ALLOCATOR": float64(allocator), "BATCH": 300})
					}
				}
			}
			return grid
		},
	}
}

// valleyModel has a concave front at the bottom of a narrow valley, after ZDT2
// (E. Zitzler, K. Deb, L. Thiele, Comparison of multiobjective evolutionary
// algorithms, Evolutionary Computation 8(2), 2000), with the bottom moved away
// from the corner.
func valleyModel() model {
	names := []string{"A", "B", "C", "D", "E"}
	bottom := map[string]float64{"B": 0.2, "C": 0.7, "D": 0.45, "E": 0.9}
	formula := func(v map[string]float64) (float64, float64, bool) {
		height := 1.0
		for name, x := range bottom {
			height += 6 * math.Pow(math.Abs(v[name]-x), 1.5) / float64(len(bottom))
		}
		return 3 - v["A"], 0.3 + height*(1-math.Pow(v["A"]/height, 2)), true
	}
	var parameters []space.Parameter
	for _, name := range names {
		parameters = append(parameters, space.Parameter{Name: name, Kind: space.Float, Max: 1})
	}
	return model{
		name: "valley", parameters: parameters, formula: formula, reference: [2]float64{1.95, 1.6},
		front: func() []map[string]float64 {
			var line []map[string]float64
			for i := range 2001 {
				line = append(line, map[string]float64{
					"A": float64(i) / 2000, "B": bottom["B"], "C": bottom["C"], "D": bottom["D"], "E": bottom["E"]})
			}
			return line
		},
	}
}
