#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A file for a viewer is whole at any time: after each buffer switch it has all
# records, also if tbufctl is killed then; and one that SIGUSR2 opens can be read
# without the file before it.

set -u
. "${top_srcdir:?}/tests/lib/scratch.sh"
. "$top_srcdir/tests/lib/same.sh"
: "${TBUFCTL:?}" "${top_builddir:?}"
. "$top_srcdir/tests/lib/tbufctl.sh"
command -v protoc >/dev/null || exit 77
target=$top_builddir/tests/system/flush_target
TBUF_DIR=$SCRATCH/dir
export TBUF_DIR
unset TBUF_OPTIONS TBUF_DISABLE TBUF_KEEP TBUF_MAXSIZE
cd "$SCRATCH" || exit 1
mkdir -m 700 dir
mkfifo commands answers

# ask COMMAND: prints the target's answer.
ask()
{
	echo "$1" >&3
	read -r answer <&4
	echo "$answer"
}

# begin FORMAT: starts the target, and a consumer that has enabled its probe.
begin()
{
	rm -f file before errors
	"$target" commands answers &
	exec 3>commands 4<answers
	"$TBUFCTL" -x switchrate=1h --format="$1" -o file -p $! \
	    -n flush:::fired 2>errors 3>&- 4<&- &
	consumer=$!
	until grep -qs 'matched 1 probe$' errors; do
		:
	done
}

# numbers FORMAT FILE: prints the numbers of the records in the file.  Viewers
# accept an array without its end, jq does not.
numbers()
{
	if [ "$1" = chrome ]; then
		sed 's/^\[//; s/,$//; s/^\]$//' "$2" |
		    jq -r 'select(.ph == "i") | .args.number'
	else
		protoc --decode=tbuf.Trace -I \
		    "$top_srcdir/tests/golden/cmd" perfetto.proto <"$2" |
		    sed -n 's/^ *int_value: //p'
	fi 2>>errors | tr '\n' ' '
}

# switch FORMAT FIRST SECOND: fires two records, and waits for both in the file.
switch()
{
	ask "fire $2" >answers.log
	ask "fire $3" >>answers.log
	ask flush >>answers.log
	until numbers "$1" file | grep -q "$3 \$"; do
		:
	done
}

each()
{
	begin "$1"
	switch "$1" 11 12
	mv file before
	kill -USR2 $consumer
	until [ -e file ]; do
		:
	done
	switch "$1" 13 14
	kill -KILL $consumer
	exec 3>&- 4<&-
	wait
	same "$1: before the renaming" '11 12 ' "$(numbers "$1" before)"
	same "$1: killed" '13 14 ' "$(numbers "$1" file)"
}

each perfetto
! command -v jq >/dev/null || each chrome

# A second run would not make one array of both.
echo '[]' >full
same 'chrome: not over a file: status' 1 \
    "$("$TBUFCTL" --format=chrome -n BEGIN -o full 2>refused; echo $?)"
same 'chrome: not over a file: message' 'tbufctl: the file is not empty, and'\
' --format=chrome writes one array of JSON: use -o with another file' \
    "$(cat refused)"
same 'chrome: not over a file' '[]' "$(cat full)"
same 'chrome: an empty file' 0 "$(: >empty
    "$TBUFCTL" -q --format=chrome -o empty -n 'BEGIN { exit(0); }' 2>refused
    echo $?)"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
