#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# While a target fires, begins threads, forks, handles signals, loads an object
# and registers probes, neither libtbuf nor a provider calls a function of
# another library: such a function may have a probe.
# tests/policy/foreign_calls.sh looks for these calls in the machine code.

set -u
. "${top_srcdir:?}/tests/lib/scratch.sh"
. "$top_srcdir/tests/lib/expect.sh"
: "${TBUFCTL:?}" "${top_builddir:?}"
[ -z "${SANITIZER-}" ] || { echo 'a sanitizer has calls of its own'; exit 77; }
target="$top_builddir/tests/system/foreign_calls_target \
$top_builddir/tests/guest/support/.libs/module.so"
TBUF_DIR=$SCRATCH/dir
export TBUF_DIR
unset TBUF_OPTIONS TBUF_DISABLE TBUF_KEEP TBUF_MAXSIZE
cd "$SCRATCH" || exit 1
mkdir -m 700 dir

# calls WHAT OPTION ...: traces the target, which must call nothing.
calls()
{
	what=$1
	shift
	"$TBUFCTL" -q -w "$@" -c "$target" >out 2>err
	status=$?
	expect "$what" "$status $(grep -E '^[a-z ]+: [a-z_]+$|child: ' out |
	    sort -u)$(grep -c '[1-9][0-9]* words, 0 failures' out)" '0 1'
	[ "$status" -eq 0 ] || sed 20q err
}

records='foreign:::, guest:::'
clauses='
	foreign:::words
	/arg0 % 3 == 0 && copyinstr(arg1) != "x"/
	{
		@counts[copyinstr(arg1), probefunc] = count();
		@values = quantize(arg0);
		self->last = timestamp;
		all[tid, arg0 % 5] = arg0;
		trace(errno); trace(tid); trace(pid); trace(execname);
		trace(ucaller); ustack(5); trace(cpu); trace(walltimestamp);
		printf("%s %d", copyinstr(arg1), *(int *)copyin(arg2, 4));
	}
	foreign:::words
	/self->last/
	{
		self->last = 0;
		trace(strjoin(copyinstr(arg1), "more"));
		trace(strstr("several words", "al"));
		trace(lltostr(arg0)); trace(strlen(copyinstr(arg1)));
		trace(basename("/a/b")); trace(rand());
	}
	foreign:::texts { self->s = speculation(); speculate(self->s);
		trace(arg0); }
	foreign:::all { commit(self->s); }
	foreign:::all { raise(0); chill(1000); }
	foreign:::mixed { printa(@counts); tracemem(arg4, 16); }'
for locks in '' glibc.pthread.rseq=0; do
	GLIBC_TUNABLES=$locks
	export GLIBC_TUNABLES
	for scope in cpu thread; do
		calls "records, $scope $locks" -x bufscope=$scope -n "$records"
		calls "ring, $scope $locks" -x bufscope=$scope \
		    -x bufpolicy=ring -x bufsize=16k -n "$records"
	done
	calls "followed children $locks" --follow -n "$records"
	calls "clauses $locks" --follow -n "$clauses"
	calls "system calls $locks" --follow -n "$records" \
	    -n 'syscall:::entry, syscall:::return { trace(arg0); ustack(3); }'
done
report
