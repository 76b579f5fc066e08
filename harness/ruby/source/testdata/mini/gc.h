#ifndef MINI_GC_H
#define MINI_GC_H

typedef unsigned long VALUE;

/* One object in so many is kept for ever, none for 0; others are garbage at once. */
void mini_allocate(long objects, long kept);
void mini_report(void);

#endif
