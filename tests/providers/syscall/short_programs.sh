#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# short_programs.sh: a program that has run before, and needed little of its
# aggregation tables, begins with small ones; if it needs more this time, each
# value is either counted or reported as a drop.  The file of a process that has
# ended is handed on to the next one, and no value is lost by that, or counted
# twice.

. "${top_srcdir:=..}/tests/providers/syscall/common.sh"

cc=${CC:-cc}
cat >"$dir/short.c" <<'E2'
#define _GNU_SOURCE
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns the inode of this process's control file. */
static unsigned long
inode(void)
{
	DIR *d = opendir(getenv("TBUF_DIR"));
	unsigned long found = 0;
	struct dirent *e;
	char name[32];

	snprintf(name, sizeof(name), "tbuf.%d.", getpid());
	while ((e = readdir(d)) != NULL)
		if (strncmp(e->d_name, name, strlen(name)) == 0)
			found = e->d_ino;
	closedir(d);
	return (found);
}

/*
 * Forks until so many children have had another one's file, but at least 300,
 * and at most 20000; a third of them are killed.  Each makes two calls.  Prints
 * the number of children, and of those with such a file.
 */
int
main(int argc, char *argv[])
{
	static unsigned long *inodes;
	int wanted = argc > 1 ? atoi(argv[1]) : 0, handed = 0, n, i;

	inodes = mmap(NULL, 20000 * sizeof(*inodes), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (n = 0; n < 20000 && (n < 300 || handed < wanted); n++) {
		if (fork() == 0) {
			inodes[n] = inode();
			close(1000000 + n);
			close(2000000 + n);
			if (n % 3 == 0)
				raise(SIGKILL);
			_exit(0);
		}
		/* Two at a time. */
		if (n % 2 == 0)
			continue;
		while (wait(NULL) > 0)
			continue;
		for (i = 0; i < n - 1 && (inodes[i] == 0 ||
		    (inodes[i] != inodes[n] && inodes[i] != inodes[n - 1]));
		    i++)
			continue;
		handed += i < n - 1;
	}
	while (wait(NULL) > 0)
		continue;
	printf("%d %d\n", n, handed);
	return (0);
}
E2
$cc -O1 -o "$dir/short" "$dir/short.c" || exit 77

# total FILE: prints the sum of the counts in an output.
total()
{
	awk 'NF == 1 { n += $1 } END { print n + 0 }' "$1"
}

# no_spares WHEN: fails if the runtime directory has spares.
no_spares()
{
	for spare in "$TBUF_DIR"/spare.*; do
		[ ! -e "$spare" ] || fail "$1: $spare is left"
	done
}

# Files with lock lanes may be too large to be handed on.
wanted=50
case ${GLIBC_TUNABLES-} in
*pthread.rseq=0*) wanted=0 ;;
esac

count='syscall::close:entry /arg0 >= 1000000/ { @ = count(); }'
rm -f "$dir/out"
"$TBUFCTL" -q --follow -o "$dir/out" -n "$count" -c "$dir/short $wanted" \
    >"$dir/children" 2>"$dir/said" || fail "handed on: status"
read -r children handed <"$dir/children"
[ "$(total "$dir/out")" -eq $((2 * children)) ] ||
    fail "handed on: $(total "$dir/out") of $((2 * children)) counted:" \
    "$(cat "$dir/said")"
[ "$handed" -ge $wanted ] || fail "handed on: $handed of $children files"
grep drop "$dir/said" && fail "handed on: drops"
no_spares "handed on"
echo "handed on: $handed of $children files"

# Two consumers at once, of which each hands files on to the other's children.
"$TBUFCTL" -q --follow -o "$dir/out1" -n "$count" -c "$dir/short $wanted" \
    >"$dir/children1" 2>"$dir/said1" &
first=$!
"$TBUFCTL" -q --follow -o "$dir/out2" -n "$count" -c "$dir/short $wanted" \
    >"$dir/children2" 2>"$dir/said2" || fail "second consumer: status"
wait $first || fail "first consumer: status"
for n in 1 2; do
	read -r children handed <"$dir/children$n"
	[ "$(total "$dir/out$n")" -eq $((2 * children)) ] ||
	    fail "consumer $n: $(total "$dir/out$n") of $((2 * children))" \
	    "counted: $(cat "$dir/said$n")"
	echo "consumer $n: $handed of $children files"
done
no_spares "two consumers"

case ${GLIBC_TUNABLES-} in
*pthread.rseq=0*)
	echo 'no rseq, and lock lanes have whole tables: the rest is skipped'
	[ $failures -eq 0 ]
	exit
	;;
esac

# A consumer that is killed leaves its spares: lists do not have them, and the
# next run removes them.
rm -f "$dir/out"
"$TBUFCTL" -q --follow -o "$dir/out" -n "$count" -c "$dir/short 20000" \
    >/dev/null 2>&1 &
killed=$!
until [ -n "$(find "$TBUF_DIR" -name 'spare.*')" ]; do
	kill -0 $killed 2>/dev/null || { fail "killed: no spare"; break; }
done
# shellcheck disable=SC2046 # one pid, or none
kill -KILL $killed $(pgrep -P $killed -x short)
wait $killed 2>/dev/null
for list in --left -s; do
	"$TBUFCTL" $list 2>&1 | grep spare && fail "killed: $list has a spare"
done
"$TBUFCTL" -q --follow -n "$count" -c true >/dev/null 2>&1
no_spares "killed"

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
