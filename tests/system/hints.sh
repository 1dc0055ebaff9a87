#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Where no probe matches, tbufctl says how there would be one: --follow for a
# command that executes others, -x usdt for one that loads libraries, and for a
# process without libtbuf how to start it.

set -u
: "${top_srcdir:?}" "${top_builddir:?}" "${TBUFCTL:?}" "${CC:?}"
# A program with a sanitizer would need the sanitizer's library.
[ -z "${SANITIZER-}" ] || exit 77
. "$top_srcdir/tests/lib/scratch.sh"
. "$top_srcdir/tests/lib/same.sh"
TBUF_DIR=$SCRATCH_SHM/run
export TBUF_DIR
unset TBUF_CONTROL TBUF_DISABLE TBUF_MAXSIZE TBUF_WINDOW LD_PRELOAD
top=$(cd "$top_srcdir" && pwd)
libs=$(cd "$top_builddir/.libs" && pwd)
cd "$SCRATCH" || exit 1

# compile NAME FLAG ...: compiles a program with a probe from standard input.
compile()
{
	name=$1
	shift
	# shellcheck disable=SC2086
	$CC -O1 -D_GNU_SOURCE -I"$top/libtbuf/include" -x c - -x none \
	    -o "$name" "$@" -L"$libs" -ltbuf -Wl,-rpath,"$libs" -ldl || exit 1
}

# hints ARGUMENT ...: prints the messages of a run that are hints.
hints()
{
	"$TBUFCTL" -q "$@" 2>&1 >/dev/null | sed -n 's/^tbufctl: //
	    /--follow\|-x usdt\|did you mean/p'
}

# ------------------------------------------------- commands that execute

follow='can execute other programs: --follow traces them, too'
same 'a shell' "sh $follow" "$(hints -n tt:::none -c 'sh -c :' |
    grep follow)"
same 'a clause' "env $follow" "$(hints -n 'tt:::none { n++; }' -c 'env true')"
same 'a name alone' "env $follow" "$(hints -n none -c 'env true')"
same 'as JSON' "env $follow" "$(hints --format=json -n tt:::none -c 'env true')"
same 'with --follow' '' "$(hints --follow -n tt:::none -c 'env true')"
same 'with -x follow' '' "$(hints -x follow -n tt:::none -c 'env true')"
same 'with -Z' '' "$(hints -Z -n tt:::none -c 'env true')"
same 'a program that executes nothing' '' "$(hints -n tt:::none -c true)"
printf '#!/usr/bin/env sh\n:\n' >script
chmod 755 script
same 'a script' "./script $follow" "$(hints -n tt:::none -c ./script)"
# Each function that executes a program; before the run nothing is refused.
for call in 'execl("/bin/true", "true", NULL)' 'system("true")' \
    'pclose(popen("true", "r"))' \
    'posix_spawn(NULL, "/bin/true", NULL, NULL, v, v)' \
    'posix_spawnp(NULL, "true", NULL, NULL, v, environ)' \
    'wordexp("$(true)", &w, 0)'; do
	compile caller <<END
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <wordexp.h>
#include <tbuf.h>
int
main(int argc, char **v)
{
	wordexp_t w;

	TBUF_PROBE(tt, step, argc);
	(void)w;
	return (argc > 1 && $call);
}
END
	same "$call" "./caller $follow" "$(hints -n 'tt:::other' -c ./caller)"
	same "a slip beside $call" "did you mean 'tt:::step'?" \
	    "$(hints -n 'tt:::stpe' -c ./caller)"
	same "$call, whose probe matches" '' "$(hints -n tt:::step \
	    -c ./caller)"
done
# It is true: the hint leads to the records.
same 'the children' 1 "$("$TBUFCTL" -q --follow -n tt:::step \
    -c 'sh -c "./caller; :"' 2>/dev/null | grep -c argc=1)"

# ---------------------------------------------------- functions of commands

# The provider pid has them, but only where it is named.
compile worker -lm <<'END'
#include <math.h>
#include <tbuf.h>
int work(int n) { return (n * 3); }
int
main(int argc, char **v)
{
	(void)v;
	TBUF_PROBE(tt, step, argc);
	return (work(argc) + (int)cbrt(argc + 0.5) > 99);
}
END
if [ -e "$libs/libtbuf-pid.so" ]; then
	# meant HINT ARGUMENT ...: compares the hint for a description.
	meant()
	{
		meant=$1
		shift
		same "$*" "${meant:+did you mean 'pid\$target:$meant'?}" \
		    "$(hints "$@" -c ./worker)"
	}
	meant :work:entry -n work
	meant :work:entry -n work:entry
	meant :work:return -n ::work:return
	meant :work -f work
	meant worker:work:entry -n worker:work:entry
	meant a.out:work: -n :a.out:work:
	meant :cbrt:entry -n cbrt
	meant libm:cbrt:entry -n libm:cbrt:entry
	meant :work:entry -n 'work { trace(1); }'
	meant :work:entry -n 'work:entry { trace(1); }'
	meant :work:entry -l -n work
	meant :work:entry --format=json -n work
	meant :work:entry -x bufpolicy=ring -n work
	meant ':work:entry,pid$target::cbrt:entry' -n work,cbrt
	meant '' -n worked
	meant '' -n 'w*rk'
	meant '' -n work:3x
	meant '' -Z -n work
	meant '' -n libm:work
	meant '' -n 'pid$target::work:entry'
	same 'a function that has a probe' "did you mean 'libc::malloc:entry'?" \
	    "$(hints -n malloc -c ./worker)"
	same 'a slip is a probe, too' "did you mean 'tt:::step'?" \
	    "$(hints -n tt:::stpe -c ./worker)"
	cp worker named
	strip named
	same 'a stripped program' '' "$(hints -n work -c ./named)"
	printf '#!%s\n' "$PWD/worker" >script
	same 'the interpreter of a script' "did you mean 'pid\$target::work:entry'?" \
	    "$(hints -n work -c ./script)"
fi

# -------------------------------------------- commands that run for long

# early HINTS ARGUMENT ...: prints the messages of a run whose command waits for
# a line until so many hints have come; without these the run is ended.
early()
{
	number=$1
	shift
	: >err
	rm -f line
	mkfifo line
	timeout 100 "$TBUFCTL" "$@" <line >out 2>err &
	reader=$!
	exec 3>line
	until { [ "$(grep -c 'did you mean' err)" -ge "$number" ] &&
	    grep -q waits out; } || ! kill -0 $reader 2>/dev/null; do :; done
	exec 3>&-
	wait "$reader"
	sed -n 's/^tbufctl: //; s/^invalid.*: probe/none:/
	    /matched\|did you mean\|none:/p' err | tr '\n' '|'
}
compile waiter <<'END'
#include <stdio.h>
#include <tbuf.h>
int
main(int argc, char **argv)
{
	(void)argv;
	TBUF_PROBE(tt, step, argc);
	puts("waits");
	fflush(stdout);
	getchar();
	TBUF_PROBE(tt, end, argc);
	return (0);
}
END
compile executor <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <tbuf.h>
int
main(int argc, char **argv)
{
	TBUF_PROBE(tt, step, argc);
	puts("waits");
	fflush(stdout);
	getchar();
	TBUF_PROBE(tt, end, argc);
	return (argc > 1 ? system(argv[1]) : 0);
}
END
# The second one may execute others, so that a match may come from these.
for command in ./waiter ./executor; do
	zero="description 'tt:step' matched 0 probes|did you mean 'tt:::step'?"
	none='none: description ::tt:step does not match any probes'
	same "$command" "$zero|$none|" "$(early 1 -n tt:step -c $command)"
	same "$command, as JSON" "$zero|$none|" \
	    "$(early 1 --format=json -n tt:step -c $command)"
	same "$command, a clause" "$(echo "$zero" | sed 's/tt:s/::&/')|$none|" \
	    "$(early 1 -n 'tt:step { n++; }' -c $command)"
	same "$command with -q" "$none|did you mean 'tt:::step'?|" \
	    "$(early 0 -q -n tt:step -c $command)"
	same "$command with -Z" "description 'tt:step' matched 0 probes|" \
	    "$(early 0 -Z -n tt:step -c $command)"
	same "$command, without a slip" "description 'tt:::step' matched 1 \
probe|" "$(early 0 -n tt:::step -c $command)"
	same "$command, two" "$zero|$(echo "$zero" |
	    sed 's/step/end/g')|$none|$(echo "$none" | sed 's/step/end/')|" \
	    "$(early 2 -n tt:step -n tt:end -c $command)"
done

# ---------------------------------------------------- stock processes

# on ARGUMENT ...: prints the messages about the process, in one line.
on()
{
	"$TBUFCTL" "$@" 2>&1 >/dev/null | sed "s/^tbufctl: //
	    s/pid $pid/pid N/; s/ (example.*)//; s/; profile/\\n&/" |
	    tr '\n' '|'
}
# stock VARIABLE ...: starts a process that waits, with this environment.
stock()
{
	rm -f line
	mkfifo line
	env "$@" sh -c 'read -r line; exec sort -o /dev/null "$0"' \
	    "$top/LICENSE" <line &
	pid=$!
	exec 3>line
}
end()
{
	exec 3>&-
	wait "$pid"
}
grab='failed to grab pid N: it has no libtbuf'
can='it can be sampled: profile-N, tick-N, BEGIN and END need no libtbuf'
how='for other probes start it by -c COMMAND, or with a provider in LD_PRELOAD for -p and recorders (TBUF_OPTIONS): see tbuf_libc(7)'
libc='provider libc exists only in programs it is preloaded into (tbufctl -c does that): see tbuf_libc(7)'
stock NONE=
for arguments in '-n tt:::step' '-q -n tt:::step' '--format=json -n tt:::step' \
    '-x bufpolicy=ring -n tt:::step' '--follow -n tt:::step' -l \
    '-l -n tt:::step'; do
	# shellcheck disable=SC2086
	same "-p $arguments" "$grab|$can|$how|" "$(on $arguments -p "$pid")"
done
same '-p for the libc provider' "$grab|$libc|$can|" \
    "$(on -n libc:::entry -p "$pid")"
same '-p for a timer and others' "$grab|; profile probes sample it|invalid \
probe specifier BEGIN { exit(0); } tt:::step { n++; }: probe description \
tt:::step does not match any probes|$how|" \
    "$(on -n 'BEGIN { exit(0); } tt:::step { n++; }' -p "$pid")"
same '-p for BEGIN' '' "$(on -q -n 'BEGIN { exit(0); }' -p "$pid")"
for reading in --read --snapshot --units; do
	same "$reading" "$grab|a recorder makes a session: " \
	    "$(on $reading="$pid" | sed 's/TBUF_OPTIONS.*//')"
done
end
# The ways that the message names.
stock LD_PRELOAD="$libs/libtbuf-libc.so"
"$TBUFCTL" -q -n libc::malloc:entry -p "$pid" >out 2>err 3>&- &
reader=$!
until "$TBUFCTL" --stat -p "$pid" 2>/dev/null | grep -q "$reader"; do :; done
end
wait $reader
same 'a provider and -p' 1 "$(grep -c size= out | sed 's/[1-9][0-9]*/1/')"
stock LD_PRELOAD="$libs/libtbuf-libc.so" \
    TBUF_OPTIONS=bufsize=64k,probes=libc:::
end
same 'a provider and a recorder' 1 "$("$TBUFCTL" -q --read "$pid" 2>/dev/null |
    grep -c size= | sed 's/[1-9][0-9]*/1/')"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
