#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# ended_child.sh COMMAND ...: the command of a run with --follow.  Its child
# runs COMMAND while tbufctl is stopped, so that tbufctl finds a child that has
# ended.  The run goes on until tbufctl has removed the files of the child.

: "${TBUF_DIR:?}"
kill -STOP $PPID
"$@" &
child=$!
wait $child
kill -CONT $PPID
until set -- "$TBUF_DIR/tbuf.$child."*; [ ! -e "$1" ]; do
	:
done
