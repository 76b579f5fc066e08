#ifndef MINI_GC_H
#define MINI_GC_H

typedef unsigned long VALUE;

/* One object in eight is kept for ever, the others are garbage at once. */
void mini_allocate(long objects);
void mini_report(void);

#endif
