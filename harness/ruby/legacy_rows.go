package ruby

// The rows that the variants share. All numbers go through atoi into 32 bits,
// or through atof, and must be above 0; nothing else is checked, and a value
// that takes all memory is tried. The ranges suit applications of some hundred
// thousand to a few million objects.
var (
	legacyMinSlots = Parameter{
		Name: minSlots, Kind: Size, Default: "10000", Unit: "slots", SlotBytes: 40,
		Effect: "starts with a larger heap: fewer collections, more memory from the start",
		Note:   "every slot is touched at boot, 40 bytes each",
		Search: &Range{Min: 10000, Max: 2e6, Log: true, Digits: 3},
	}
	legacyIncrement = Parameter{
		Name: increment, Kind: Size, Default: "10000", Unit: "slots", SlotBytes: 40,
		Effect: "grows the heap by more slots at a time: fewer collections, more memory",
		Search: &Range{Min: 10000, Max: 2e6, Log: true, Digits: 3},
	}
	legacyFactor = Parameter{
		Name: growthFactor, Kind: Real, Default: "1.8",
		Effect: "lets the heap grow faster each time: fewer collections, more memory",
		Search: &Range{Min: 1, Max: 3, Digits: 3},
	}
	// wholeFactor is read by atoi: its own default cannot be written.
	wholeFactor = Parameter{
		Name: growthFactor, Kind: Size, Default: "1.8",
		Bounds: Bounds{Whole: true},
		Effect: "lets the heap grow faster each time: fewer collections, more memory",
		Note:   "read as a whole number: 1.8 would be 1, so that the default cannot be written",
		Search: &Range{Min: 1, Max: 3},
	}
	legacyFreeMin = Parameter{
		Name: heapFreeMin, Kind: Size, Default: "4096", Unit: "slots", SlotBytes: 40,
		Effect: "grows the heap when a collection frees fewer slots: fewer collections, more memory",
		Note:   "matters only above 20 % of all slots",
		Search: &Range{Min: 4096, Max: 5e5, Log: true, Digits: 3},
	}
	// stockFreeMin is what 1.9.3 and 2.0 call it, patched or not.
	stockFreeMin = renamed(legacyFreeMin, freeMin)

	// floorLimit starts at its default whatever is set, and is kept at or above
	// the value from the first collection that allocation causes.
	floorLimit = floor(limitFrom(8e6, "8000000", "a floor: the limit starts at 8000000 and adapts upward"))

	incrementDead    = Dead{increment, "read, but the heap does not grow by it on this Ruby; use " + growthFactor}
	listStepDead     = Dead{listStep, "read, but it enlarges the list of heaps, not the heap; use " + increment}
	otherFreeMinDead = Dead{heapFreeMin, "an old name, read only where " + freeMin + " is unset; use the new one"}
)

func limitFrom(least float64, usual, note string) Parameter {
	return Parameter{
		Name: mallocLimit, Kind: Size, Default: usual, Unit: "bytes",
		Effect: "allows this much allocation outside the heap before a collection: fewer collections, more memory",
		Note:   note,
		Search: &Range{Min: least, Max: 256e6, Log: true, Digits: 3},
	}
}

func floor(p Parameter) Parameter {
	p.Bounds.InertBelow, p.Bounds.InertReason = p.Search.Min, "no effect below 8000000: the limit starts there and only rises"
	return p
}

func renamed(p Parameter, name string) Parameter {
	p.Name = name
	return p
}

// paged counts in whole pages and throws the rest away.
func paged(p Parameter) Parameter {
	r := *p.Search
	r.Paged, r.Digits = true, 0
	p.Search, p.Note = &r, "in whole heap pages"
	return p
}

// givenBack says what the sweep does with a heap of which too much is free
// (before_gc_sweep, slot_sweep).
func givenBack(p Parameter) Parameter {
	p.Note += "; once 65 % of them are free, pages without an object are given back"
	return p
}

// unchecked is taken also at 0 and below, where the heap would hardly grow.
func unchecked(p Parameter) Parameter {
	p.Bounds.Unchecked = true
	return p
}

func compounding(p Parameter) Parameter {
	p.Note = "each growth adds this, multiplied by " + growthFactor + " once more each time"
	return p
}
