/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program that has control characters in all its names and texts, for
 * tests/hostile/hostile_names.sh, which replaces QQQQ in the file of the
 * program by such characters where a C name may have none.  ZQZQ stands for
 * characters that the library does not accept: the program writes them into the
 * files that it shares with consumers.
 */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tbuf_text.h>

#define CONTROLS	"\033[2J\r\x7f\xc2\x9b" "2J"
#define REFUSED		"ZQZQ"

enum enumQQQQ { ENUMERATORQQQQ = 7 };
typedef int typedefQQQQ;

struct innerQQQQ {
	typedefQQQQ numberQQQQ;
	enum enumQQQQ enumeratorQQQQ;
};

struct s {
	struct innerQQQQ structureQQQQ;
	union unionQQQQ {
		char letterQQQQ;
		char textQQQQ[16];
	} unionQQQQ;
	const char *text;
};

TBUF_COMPONENT(component, "c" REFUSED);

static void __attribute__((noinline))
functionQQQQ(struct s *object, const char *string, void *function)
{
	TBUF_PROBE(plain, go, object, string, function);
	__asm__ volatile("" : : : "memory");
}

static void
spoil(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDWR);
	char *p, *at;

	if (fd == -1 || fstat(fd, &st) != 0)
		return;
	p = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED,
	    fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		return;
	while ((at = memmem(p, (size_t)st.st_size, REFUSED, 4)) != NULL)
		memcpy(at, "\033\r\xc2\x9b", 4);
	munmap(p, (size_t)st.st_size);
}

/* Spoils the control file, and the file of the text trace. */
static void
spoil_files(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4096], *path;

	while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		path = strchr(line, '/');
		if (path != NULL && strstr(path, ".so") == NULL &&
		    (strstr(path, "/tbuf.") != NULL ||
		    strstr(path, "/text.") != NULL))
			spoil(path);
	}
	if (maps != NULL)
		fclose(maps);
}

static void
registered(void)
{
	static struct tbuf_site site;
	static const enum tbuf_type types[] = { TBUF_STRING };
	static const char *const names[] = { "arg" REFUSED };
	uint64_t values[] = { (uintptr_t)("text" CONTROLS) };

	if (site.enabled == NULL && tbuf_probe_register(&site,
	    "prov" REFUSED, "mod" REFUSED, "func" REFUSED,
	    "name" REFUSED "-entry", 1, types, names) != 0)
		exit(98);
	spoil_files();
	if (tbuf_probe_enabled(&site))
		tbuf_probe_fire(&site, values);
}

int
main(int argc, char **argv)
{
	struct s object = {
		.structureQQQQ = { 5, ENUMERATORQQQQ },
		.unionQQQQ.textQQQQ = "in" "\033[2J", .text = "text" CONTROLS
	};
	uint64_t unit;
	char line[8];

	(void)argv;
	(void)prctl(PR_SET_NAME, "t\033[2J\x7f");
	unit = tbuf_unit_begin("kind" REFUSED, 1);
	registered();
	functionQQQQ(&object, object.text, (void *)(uintptr_t)functionQQQQ);
	tbuf_text(&component, TBUF_SEVERE, "line " CONTROLS REFUSED);
	spoil_files();
	if (argc > 1) {
		printf("ready\n");
		fflush(stdout);
		(void)!read(STDIN_FILENO, line, sizeof(line));
		raise(SIGKILL);
	}
	(void)tbuf_unit_end(unit, 0);
	return (0);
}
