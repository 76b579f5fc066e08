/* Answers the scripts that an interpreter before 2.1 is asked with -e. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void heap_start(int verbose);
void heap_fill(int objects);

static void tell(const char *key, const char *value) { printf("gctune\t%s\t%s\n", key, value); }

static void tell_peak(void)
{
    char line[4096], kib[4096];
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %s", kib) == 1)
            tell("peak", kib);
    if (status)
        fclose(status);
}

static void tell_library(void)
{
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        line[strcspn(line, "\n")] = 0;
        if (strstr(line, "/libruby"))
            tell("shared", strchr(line, '/'));
    }
    if (maps)
        fclose(maps);
}

int main(int argc, char **argv)
{
    char path[4096];
    int i, n, verbose = 0;
    const char *script = "";
    for (i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-w") == 0)
            verbose = 1;
        else if (strcmp(argv[i], "-e") == 0 && i + 1 < argc)
            script = argv[++i];
    }
    heap_start(verbose);
    if (strstr(script, "GC.disable"))
        heap_fill(230000);
    if (strstr(script, "VmHWM"))
        tell_peak();
    if (!strstr(script, "RUBY_VERSION"))
        return 0;
    n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    tell("version", VERSION);
    tell("engine", "ruby");
    tell("description", DESCRIPTION);
    tell("executable", path);
    tell("word_bytes", "8");
    tell_library();
    return 0;
}
