/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program with SITES USDT probes, that forks when it is asked to, by
 * bench/fork.c.  It says first how many mappings it has.
 */
#include <sys/wait.h>

#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

/*
 * Sites, as systemtap's header has them, and an instruction behind each whose
 * bytes are as many as there are programs: stubs are far from one another, as
 * they are in these.  The numbers are any (an LCG's).
 */
#define TEXT(n)		TEXT_(n)
#define TEXT_(n)	#n

#if SITES != 0
void	sites(void);
__asm__(".text\n"
    ".globl sites\n"
    ".type sites, @function\n"
    "sites:\n"
    "	.cfi_startproc\n"
    "	.set any, 1\n"
    "	.rept " TEXT(SITES) "\n"
    "	.set any, (any * 1103515245 + 12345) & 0x7fffffff\n"
    "990:	nop\n"
    "	.byte 0xb8\n"			/* mov $any,%eax */
    "	.long any >> 7\n"
    "	.pushsection .note.stapsdt,\"\",\"note\"\n"
    "	.balign 4\n"
    "	.4byte 8, 992f-991f, 3\n"
    "	.asciz \"stapsdt\"\n"
    "991:	.8byte 990b, 0, 0\n"
    "	.asciz \"bench\"\n	.asciz \"site\"\n	.asciz \"\"\n"
    "992:	.balign 4\n"
    "	.popsection\n"
    "	.endr\n"
    "	ret\n"
    "	.cfi_endproc\n"
    "	.size sites, . - sites\n");
#else
static void
sites(void)
{
}
#endif

static uint64_t
mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	uint64_t n = 0;
	int c;

	if (maps == NULL)
		err(1, "/proc/self/maps");
	while ((c = getc(maps)) != EOF)
		n += c == '\n';
	fclose(maps);
	return (n);
}

static void
forks(uint64_t times)
{
	pid_t pid;

	for (; times > 0; times--) {
		pid = fork();
		if (pid == 0)
			_exit(0);
		if (pid == -1 || waitpid(pid, NULL, 0) != pid)
			err(1, "fork");
	}
}

/* A number is asked for, and written back when so many forks are done. */
int
main(void)
{
	uint64_t n = mappings();

	sites();
	while (write(STDOUT_FILENO, &n, sizeof(n)) == (ssize_t)sizeof(n) &&
	    read(STDIN_FILENO, &n, sizeof(n)) == (ssize_t)sizeof(n))
		forks(n);
	return (0);
}
