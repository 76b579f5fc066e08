package explain

import "github.com/gctune/gctune/tuner/gcmodel"

// Course is a heap over a run, against the objects that its process has allocated.
type Course struct {
	Points []Point
	Marks  []Place
}

// Point is a collection.
type Point struct {
	// Objects were allocated when it ran, in millions.
	Objects float64
	// Slots of the heap then, and those found in use; 0 where not known.
	Slots, Live float64
	Major       bool
}

// Place is where a mark lies.
type Place struct {
	Name    string
	Objects float64 // in millions
}

const million = 1e6

// Course goes by the collections: between two of them as many objects were allocated
// as slots were filled. Where the interpreter counts objects at the marks, it is made
// to agree with that; collections that the log has missed are spread evenly.
func (h Heap) Course() Course {
	var c Course
	all, from, objects := h.process.Collections, 0, 0.0
	for _, m := range h.process.Marks {
		to := max(from, within(h.process, m.Collections))
		parts, rest := increments(all, from, to, m)
		known := 0.0
		for _, part := range parts {
			known += part
		}
		scale := 1.0
		if total := m.Stat["total_allocated_objects"]; total > objects && known+rest > 0 {
			scale = (total - objects) / (known + rest)
		}
		for i, part := range parts {
			objects += part * scale
			at := all[from+i]
			c.Points = append(c.Points, Point{objects / million, float64(at.Slots), float64(at.Live), at.Major})
		}
		objects += rest * scale
		c.Marks = append(c.Marks, Place{m.Name, objects / million})
		from = to
	}
	return c
}

// increments are the slots filled before each collection, and after the last one up
// to the mark. What is not known is taken for a small heap's.
func increments(all []gcmodel.Collection, from, to int, m gcmodel.Mark) (parts []float64, rest float64) {
	for i := from; i < to; i++ {
		part := filled(all, i)
		if part == 0 {
			part = smallHeap
		}
		parts = append(parts, part)
	}
	if inUse := m.Stat["heap_live_slots"]; inUse > 0 && to > 0 {
		rest = max(0, inUse-float64(all[to-1].Live))
	}
	return parts, rest
}

// smallHeap are the slots with which a heap begins where nothing is set.
const smallHeap = 10000
