package probe

// renamed are the names that GC.stat of 2.1 has for what it tells by others from 2.2 on
// (gc.c of 2.2, setup_gc_stat_symbols).
var renamed = map[string]string{
	"heap_used":                     "heap_allocated_pages",
	"heap_length":                   "heap_sorted_length",
	"heap_increment":                "heap_allocatable_pages",
	"heap_live_slot":                "heap_live_slots",
	"heap_free_slot":                "heap_free_slots",
	"heap_final_slot":               "heap_final_slots",
	"heap_swept_slot":               "heap_swept_slots",
	"heap_eden_page_length":         "heap_eden_pages",
	"heap_tomb_page_length":         "heap_tomb_pages",
	"total_allocated_object":        "total_allocated_objects",
	"total_freed_object":            "total_freed_objects",
	"malloc_increase":               "malloc_increase_bytes",
	"malloc_limit":                  "malloc_increase_bytes_limit",
	"remembered_shady_object":       "remembered_wb_unprotected_objects",
	"remembered_shady_object_limit": "remembered_wb_unprotected_objects_limit",
	"old_object":                    "old_objects",
	"old_object_limit":              "old_objects_limit",
	"oldmalloc_increase":            "oldmalloc_increase_bytes",
	"oldmalloc_limit":               "oldmalloc_increase_bytes_limit",
}

// rename gives what 2.1 says the names of later ones. It does not tell how many slots
// there are, but which are free: all but those in use, of which those that are yet to be
// finalized are free, too (gc.c of 2.1, objspace_free_slot).
func (r *Report) rename() {
	free, early := r.Stat["heap_free_slot"]
	if !early {
		return
	}
	slots := r.Stat["heap_live_slot"] - r.Stat["heap_final_slot"] + free
	for before, name := range renamed {
		if value, told := r.Stat[before]; told {
			r.Stat[name] = value
			delete(r.Stat, before)
		}
	}
	r.Stat["heap_available_slots"] = slots
}
