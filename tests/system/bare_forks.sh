#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Children that no fork handler sees are followed if a function of the C library
# has made them, else reported.

set -u
. "${top_srcdir:?}/tests/lib/scratch.sh"
. "$top_srcdir/tests/lib/same.sh"
: "${TBUFCTL:?}" "${top_builddir:?}"
target=$top_builddir/tests/system/bare_forks_target
plain=$top_builddir/tests/system/bare_forks_plain
TBUF_DIR=$SCRATCH/dir
export TBUF_DIR
unset TBUF_OPTIONS TBUF_DISABLE TBUF_KEEP TBUF_MAXSIZE
cd "$SCRATCH" || exit 1
mkdir -m 700 dir

# numbers: prints the numbers of the records in its input, in one line.
numbers()
{
	sed -n 's/^[^=]*=//p' | sort -n | tr '\n' ' '
}

# recorded: prints the numbers of the records in all files of the runtime
# directory, and removes these.
recorded()
{
	for one in "$TBUF_DIR"/tbuf.*; do
		"$TBUFCTL" -q --read "$one" 2>>errors
	done | numbers
	rm -f "$TBUF_DIR"/tbuf.*
}

# follow ARGUMENT ...: traces with --follow.
follow()
{
	"$TBUFCTL" -q --follow "$@" 2>errors | numbers
	grep 'could not be traced' errors
	rm -f "$TBUF_DIR"/tbuf.*
}

options=follow,bufsize=64k,probes=bare:::
untraced="tbufctl: 1 process could not be traced: runtime directory not \
reached, or bare clone(2)"
ways='fork _Fork clone SYS_clone SYS_clone3'
[ "$(uname -m)" != x86_64 ] || ways="$ways SYS_fork"
for way in $ways; do
	same "$way: --follow" '0 1 ' \
	    "$(follow -n 'bare:::forked' -c "$target $way")"
	TBUF_OPTIONS=$options "$target" "$way"
	same "$way: recorder" '0 1 ' "$(recorded)"
	# A provider with a sanitizer in it cannot be preloaded.
	[ -z "${SANITIZER-}" ] || continue
	for provider in libc syscall; do
		same "$way: $provider" '777 778 ' "$(follow -n "$provider"'::close:entry
		    /arg0 >= 777/ { printf("=%d\n", arg0); }' \
		    -c "$plain $way 777")"
	done
done
same 'instruction: --follow' "0 $untraced" \
    "$(follow -n 'bare:::forked' -c "$target instruction")"
same 'a child of such a child' "0 ${untraced%%1 process*}2 \
processes${untraced#*1 process}" \
    "$(follow -n 'bare:::forked' -c "$target instructions")"
same 'a child of one that became no target' '0 tbufctl: 2 processes could not '\
'be traced: process is not dumpable' \
    "$(follow -n 'bare:::forked' -c "$target undumpable")"
# A child knows most of its facts without a look at /proc.
for command in "$target facts" "setsid -w $target facts"; do
	rm -f traced
	"$TBUFCTL" -q --follow -o traced -n 'bare:::forked /arg0 == 1/ {
	    printf("%d %d %d %d %d 1\n", pid, ppid, curpsinfo->pr_pgid,
	    curpsinfo->pr_sid, curpsinfo->pr_ttydev) }' -c "$command" \
	    >facts 2>errors
	same "facts of the children of $command" "$(sort facts)" \
	    "$(grep . traced | sort)"
	same 'number of children' true \
	    "$([ "$(wc -l <facts)" -ge 58 ] && echo true)"
done
if [ "$(uname -m)" = x86_64 ]; then
	same 'a child that shares the stack' 'status 0' \
	    "$("$target" shared 2>&1; echo "status $?")"
	same 'one of clone3(2)' 'status 0' \
	    "$("$target" shared3 2>&1; echo "status $?")"
fi

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
