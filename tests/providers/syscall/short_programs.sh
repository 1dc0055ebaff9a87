#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# short_programs.sh: a program that has run before, and needed little of its
# aggregation tables, begins with small ones; if it needs more this time, each
# value is either counted or reported as a drop.

. "${top_srcdir:=..}/tests/providers/syscall/common.sh"

case ${GLIBC_TUNABLES-} in
*pthread.rseq=0*)
	echo 'no rseq, and lock lanes have whole tables: skipped'
	exit 77
	;;
esac

cc=${CC:-cc}
cat >"$dir/keys.c" <<'E2'
#define _GNU_SOURCE
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns the 512-byte blocks of this process's control file. */
static long
blocks(void)
{
	DIR *d = opendir(getenv("TBUF_DIR"));
	struct dirent *e;
	struct stat st;
	char name[32];
	long n = 0;

	snprintf(name, sizeof(name), "tbuf.%d.", getpid());
	while ((e = readdir(d)) != NULL)
		if (strncmp(e->d_name, name, strlen(name)) == 0 &&
		    fstatat(dirfd(d), e->d_name, &st, 0) == 0)
			n = (long)st.st_blocks;
	closedir(d);
	return (n);
}

/* Makes n calls, each with another argument, from `first' on. */
static void
calls(int first, int n)
{
	int i;

	for (i = first; i < first + n; i++)
		close(1000000 + i);
}

/* Waits until the file has so many blocks. */
static int
grown(long n)
{
	int tries;

	for (tries = 0; tries < 30000 && blocks() < n; tries++)
		usleep(1000);
	return (tries < 30000);
}

/*
 * Makes n calls.  With n = 0 some, until tables have switched to those of the
 * whole size, then more than half a table of them, until both are whole.
 */
int
main(int argc, char *argv[])
{
	int n = argc > 1 ? atoi(argv[1]) : 0;
	long start = blocks(), whole;
	cpu_set_t cpus;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	whole = CPU_COUNT(&cpus) * (4L << 20) / 512;
	printf("%ld\n", start);
	calls(0, n);
	if (n == 0) {
		calls(0, 300);
		if (!grown(start + whole))
			puts("second");
		calls(300, 40000);
		if (!grown(start + 2 * whole))
			puts("first");
		calls(40300, 20000);
	}
	return (0);
}
E2
$cc -o "$dir/keys" "$dir/keys.c" || exit 77

# The first run has whole tables, 4 MiB for each CPU; later ones have less, as
# soon as tbufctl has seen some ends.  No other program runs among them, which
# would take the place of this one on the board if both have the same hash.
cat >"$dir/script" <<E2
$dir/keys 1 >$dir/first
for i in \$(seq 1000); do
	$dir/keys 1 >$dir/last
	read -r last <$dir/last
	[ "\$last" -gt 2000 ] || break
done
\$2 $dir/keys \$1 >$dir/many
E2
# A CPU's whole table has room for some 50,000 of these keys, and a small one
# for 3000, if the program stays on the CPU where it began.
for n in 100 3000 20000; do
	rm -f "$dir/out"
	stay=
	[ $n -ne 3000 ] || stay="taskset -c $(taskset -cp $$ |
	    sed 's/.*: //; s/[-,].*//')"
	"$TBUFCTL" -q --follow -o "$dir/out" -c "sh $dir/script $n '$stay'" -n '
	    syscall::close:entry
	    /arg0 >= 1000000 && execname == "keys"/
	    { @[arg0] = count(); }' 2>"$dir/said" || fail "$n: status"
	[ "$(cat "$dir/first")" -gt 8192 ] ||
	    fail "$n: blocks at first: $(cat "$dir/first")"
	[ "$(cat "$dir/last")" -le 2000 ] ||
	    fail "$n: blocks at last: $(cat "$dir/last")"
	# All keys but the first one, which every run has.
	counted=$(awk '$1 > 1000000 { n += $2 } END { print n + 0 }' \
	    "$dir/out")
	dropped=$(awk '/aggregation drop/ { for (i = 1; i <= NF; i++)
	    if ($i ~ /^[0-9]+$/) { n += $i; break } }
	    END { print n + 0 }' "$dir/said")
	[ $((counted + dropped)) -eq $((n - 1)) ] ||
	    fail "$n: $counted counted, $dropped dropped: $(cat "$dir/said")"
	[ $n -gt 3000 ] || [ $dropped -eq 0 ] || fail "$n: drops"
	echo "$n: $counted counted, $dropped dropped"
done

# A program that lives longer gets its second table, then a whole first one.
rm -f "$dir/out"
"$TBUFCTL" -q --follow -o "$dir/out" -c "sh $dir/script 0" -n '
    syscall::close:entry
    /arg0 >= 1000000 && execname == "keys"/
    { @[arg0] = count(); }' 2>"$dir/said" || fail "long: status"
grep '[a-z]' "$dir/many" && fail "long: a table has not grown"
counted=$(awk '$1 > 1000000 { n += $2 } END { print n + 0 }' "$dir/out")
dropped=$(awk '/aggregation drop/ { for (i = 1; i <= NF; i++)
    if ($i ~ /^[0-9]+$/) { n += $i; break } }
    END { print n + 0 }' "$dir/said")
[ $((counted + dropped)) -eq 60299 ] ||
    fail "long: $counted counted, $dropped dropped: $(cat "$dir/said")"
echo "long: $counted counted, $dropped dropped"
[ $failures -eq 0 ]
