/* The heap of a stand-in for interpreters before 2.1. READS lists the names
   that it reads, CONTAINS those that it only has in its binary. With TEXTS it
   repeats each text when RUBY_GC_STATS is set, with NUMBERS it says each number
   under -w; FRACTIONS makes it read the growth factor as a real. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef READS
#define READS
#endif
#ifndef CONTAINS
#define CONTAINS
#endif

static const char *const reads[] = {READS 0};
const char *const contains[] = {CONTAINS 0};

static int slots = 10000, increment = 10000;
static double factor = 1.8;

static int ends(const char *name, const char *end)
{
    return strcmp(name + strlen(name) - strlen(end), end) == 0;
}

static void say(const char *name, const char *text, int verbose)
{
#ifdef TEXTS
    if (getenv("RUBY_GC_STATS"))
        fprintf(stderr, "%s=%s\n", name, text);
#endif
#ifdef NUMBERS
    if (verbose && ends(name, "MALLOC_LIMIT"))
        fprintf(stderr, "malloc_limit=%d (9000000)\n", atoi(text));
    if (verbose && ends(name, "MIN_SLOTS"))
        fprintf(stderr, "heap_min_slots=%d (10000)\n", atoi(text));
    if (verbose && ends(name, "FREE_MIN"))
        fprintf(stderr, "free_min=%d (4096)\n", atoi(text));
#endif
}

/* Kept, so that no compiler leaves out what fills it. */
char *volatile heap;

static void grow(int n)
{
    heap = malloc(40 * (size_t)n);
    if (!heap) {
        fprintf(stderr, "[FATAL] failed to allocate memory\n");
        exit(1);
    }
    memset(heap, 1, 40 * (size_t)n);
}

void heap_start(int verbose)
{
    const char *const *name, *text;
    for (name = reads; *name; name++) {
        if (!(text = getenv(*name)))
            continue;
        say(*name, text, verbose);
        if (ends(*name, "MIN_SLOTS") && atoi(text) > 0)
            slots = atoi(text);
        if (ends(*name, "INCREMENT") && atoi(text) > 0)
            increment = atoi(text);
#ifdef FRACTIONS
        if (ends(*name, "FACTOR") && atof(text) > 0)
            factor = atof(text);
#else
        if (ends(*name, "FACTOR") && atoi(text) > 0)
            factor = atoi(text);
#endif
    }
    grow(slots);
}

void heap_fill(int objects)
{
    int total = slots;
    while (total < objects) {
        slots += increment;
        increment *= factor;
        grow(slots);
        total += slots;
    }
}
