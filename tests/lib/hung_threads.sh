#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# hung_threads.sh PID: shows where the threads of a process's descendants are,
# with their stacks if gdb(1) is installed.

set -u

# show PID: prints the state of each thread of a process.
show()
{
	cat /proc/$1/cmdline 2>/dev/null | tr '\0' ' '
	echo "(pid $1)"
	for task in /proc/$1/task/*; do
		printf '  %s %s: ' "${task##*/}" \
		    "$(cat "$task/comm" 2>/dev/null)"
		sed -n 's/^State:[[:blank:]]*//p' "$task/status" 2>/dev/null |
		    tr '\n' ' '
		echo "in $(cat "$task/wchan" 2>/dev/null)," \
		    "call $(cat "$task/syscall" 2>/dev/null)"
	done
	if command -v gdb >/dev/null; then
		timeout 20 gdb -p $1 -batch -nx -ex 'set pagination off' \
		    -ex 'thread apply all backtrace 16' 2>/dev/null |
		    grep -e '^#' -e '^Thread'
	fi
}

# below PID: shows all descendants but this script.
below()
{
	for child in $(cat /proc/$1/task/*/children 2>/dev/null); do
		[ $child -ne $$ ] || continue
		show $child
		below $child
	done
}

below "${1:?a process}"
