#include "config.h"
#include "gc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VERSION "1.8.7"
#define DESCRIPTION "ruby 1.8.7 (miniature of gctune's tests)"

/* Whether there is no library, neither installed nor in RUBYLIB. */
static int
bare(void)
{
    const char *folder = getenv("RUBYLIB"), *end;
    char path[4096];

    if (!access(MINI_PREFIX "/lib/mini.rb", R_OK)) return 0;
    for (; folder && *folder; folder = *end ? end + 1 : end) {
	end = folder + strcspn(folder, ":");
	snprintf(path, sizeof path, "%.*s/mini.rb", (int)(end - folder), folder);
	if (!access(path, R_OK)) return 0;
    }
    return 1;
}

/* What a tuner asks of an unknown interpreter. */
static void
introduce(void)
{
    char path[4096];
    ssize_t n;

    printf("gctune\tversion\t%s\n", VERSION);
    printf("gctune\tplatform\t%s\n", "x86_64-linux");
    printf("gctune\tengine\t%s\n", "ruby");
    printf("gctune\tpatchlevel\t%s\n", "72");
    printf("gctune\tdescription\t%s\n", DESCRIPTION);
    if (bare()) printf("gctune\tbare\tyes\n");
    if ((n = readlink("/proc/self/exe", path, sizeof path)) > 0)
	printf("gctune\texecutable\t%.*s\n", (int)n, path);
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
    if (!strncmp(script, "allocate ", 9)) mini_allocate(atol(script + 9), 8);
    if (!strncmp(script, "churn ", 6)) {
	if (bare()) {
	    fprintf(stderr, "ruby: no such file to load -- mini (LoadError)\n");
	    return 1;
	}
	mini_allocate(100000, 2);
	mini_allocate(atol(script + 6), 0);
    }
    mini_report();
    printf("prefix=%s\npeak_kb=%ld\n", MINI_PREFIX, peak());
    return 0;
}
