#include "config.h"
#include "gc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERSION "1.8.7"
#define DESCRIPTION "ruby 1.8.7 (miniature of gctune's tests)"

/* What a tuner asks of an unknown interpreter. */
static void
introduce(void)
{
    printf("gctune\tversion\t%s\n", VERSION);
    printf("gctune\tplatform\t%s\n", "x86_64-linux");
    printf("gctune\tengine\t%s\n", "ruby");
    printf("gctune\tpatchlevel\t%s\n", "72");
    printf("gctune\tdescription\t%s\n", DESCRIPTION);
}

/* The highest resident size in kB, as the kernel counts it. */
static long
peak(void)
{
    char line[256];
    long kb = 0;
    FILE *f = fopen("/proc/self/status", "r");

    while (f && fgets(line, sizeof line, f))
	if (sscanf(line, "VmHWM: %ld", &kb) == 1) break;
    if (f) fclose(f);
    return kb;
}

int
main(int argc, char **argv)
{
    const char *script = "";
    int i;

    for (i = 1; i < argc; i++) {
	if (!strcmp(argv[i], "-v")) {
	    puts(DESCRIPTION);
	    return 0;
	}
	if (!strcmp(argv[i], "-e") && i + 1 < argc) script = argv[++i];
    }
    if (strstr(script, "RUBY_VERSION")) {
	introduce();
	return 0;
    }
    if (!strncmp(script, "allocate ", 9)) mini_allocate(atol(script + 9));
    mini_report();
    printf("prefix=%s\npeak_kb=%ld\n", MINI_PREFIX, peak());
    return 0;
}
