/*
 * gc.c: a heap of slots that grows, and a collector that sweeps it.
 *
 * The constants below are written in the ways of real trees. Comments such as
 * this one must not mislead an editor:
 * #define HEAP_MIN_SLOTS 1
 */
#include "gc.h"
#include <stdio.h>
#include <stdlib.h>

#ifndef GC_MALLOC_LIMIT
#if defined(MSDOS) || defined(__human68k__)
#define GC_MALLOC_LIMIT 200000
#else
#define GC_MALLOC_LIMIT (2000000*sizeof(VALUE)) /* of 8 bytes on 64-bit */
#endif
#endif

struct slot {
    struct slot *next;
    VALUE kept;
    VALUE body[3];
};

#define HEAPS_INCREMENT 10
static struct heap { struct slot *slots; long limit; } *heaps;
static int heaps_length = 0;
static int heaps_used = 0;

#define	HEAP_MIN_SLOTS	10000
static int heap_slots = HEAP_MIN_SLOTS;

# define FREE_MIN \
    4096	// slots

/* A heap that no machine of the tests has room for is refused here. */
typedef char too_large_a_heap[HEAP_MIN_SLOTS <= 5000000 ? 1 : -1];

static const char *const advice = "see #define FREE_MIN 2 \
#define HEAP_MIN_SLOTS 3";

static struct slot *freelist;
static long slots, live, collections;
static unsigned long malloc_increase;

static void
add_heap(void)
{
    struct slot *p, *pend;

    if (heaps_used == heaps_length) {
	heaps_length += HEAPS_INCREMENT;
	heaps = realloc(heaps, heaps_length * sizeof(struct heap));
    }
    p = malloc(sizeof(struct slot) * (heap_slots + 1));
    if (!heaps || !p) {
	fprintf(stderr, "[FATAL] failed to allocate memory\n");
	exit(1);
    }
    heaps[heaps_used].slots = p;
    heaps[heaps_used].limit = heap_slots;
    pend = p + heap_slots;
    slots += heap_slots;
    heaps_used++;
    heap_slots *= 1.8;
    if (heap_slots <= 0) heap_slots = HEAP_MIN_SLOTS;

    for (; p < pend; p++) {	/* touches every slot */
	p->kept = 0;
	p->next = freelist;
	freelist = p;
    }
}

static void
collect(void)
{
    long freed = 0;
    int i;

    collections++;
    malloc_increase = 0;
    freelist = 0;
    for (i = 0; i < heaps_used; i++) {
	struct slot *p = heaps[i].slots, *pend = p + heaps[i].limit;
	for (; p < pend; p++) {
	    if (p->kept) continue;
	    p->next = freelist;
	    freelist = p;
	    freed++;
	}
    }
    if (freed < FREE_MIN) add_heap();
}

void
mini_allocate(long objects, long kept)
{
    long i;

    if (!heaps_used) add_heap();
    for (i = 0; i < objects; i++) {
	struct slot *p;
	if (!freelist || (malloc_increase += 100) > GC_MALLOC_LIMIT) collect();
	p = freelist;
	freelist = p->next;
	p->kept = kept && i % kept == 0;
	live += p->kept;
    }
}

void
mini_report(void)
{
    printf("heap_min_slots=%ld\n", (long)HEAP_MIN_SLOTS);
    printf("free_min=%ld\n", (long)FREE_MIN);
    printf("gc_malloc_limit=%lu\n", (unsigned long)GC_MALLOC_LIMIT);
    printf("heaps=%d\nslots=%ld\nlive=%ld\ncollections=%ld\nadvice=%d\n", heaps_used, slots, live, collections, advice != 0);
}
