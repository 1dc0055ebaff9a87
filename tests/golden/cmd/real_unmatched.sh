# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# A missing match is reported at once for a running target, at the end of a
# command.
start 3 4 fire=2
ctl -n nosuch -p $target
ctl -n count -n nosuch -n nothing -p $target
ctl -n cuont -p $target
ctl -l -n nosuch -p $target
ctl -l -Z -n nosuch -p $target | sed 's/ID .*/ID.../'
ctl -i 9999 -p $target
ctl -Z -l -i 9999 -p $target
ctl -i 9999 -c "$TBUF_TARGET fire=1"
ctl -n nosuch -c "$TBUF_TARGET fire=1"
ctl -x statusrate=10s -n cuont -c "$TBUF_TARGET fire=1"
ctl -n count -n nosuch -c "$TBUF_TARGET fire=1"
ctl -Z -n count -i 9999 -c "$TBUF_TARGET fire=1"
ctl -n count -c true
ctl -Z -n count -c true
tell 3
wait
# There is no target, so that no preloaded provider exists.
ctl -n count
ctl -n syscall:::
ctl -n libc::malloc:entry
ctl -n 'usdt::: { n++; }'

# For a clause it is reported when the command has ended, once for each
# description.
ctl -q -n 'tt:::cuont { trace(1); } tt:::cuont { trace(2); } count { n++; }' \
    -c "$TBUF_TARGET fire=1"
ctl -q -Z -n 'tt:::cuont { trace(1); }' -c "$TBUF_TARGET fire=1"

# A script's matches are counted when the command has its probes, also if probes
# of tbufctl itself have fired before.
ctl -n 'tt:::count { trace(1); } BEGIN { trace(2); } END { trace(3); }
    tick-1h { n++; }' -c "$TBUF_TARGET fire=1" |
    sed 's/^ *[0-9]* .*:\([BE]\)/\1/'
ctl -n 'tt:::count { @ = count(); } END { n++; }' -c "$TBUF_TARGET fire=1"

# exit() hides no description without a match.  The command waits for a line.
mkfifo hold
exec 5<>hold
held()
{
	echo "\$ tbufctl $*" | normal
	"$TBUFCTL" "$@" <hold >held 2>&1 5>&-
	echo "= $?" >>held
	echo >&5
	normal <held
}
held -q -n 'nosuch:::x { n++; } tt:::count { exit(0); }' \
    -c "$TBUF_TARGET fire=1 wait"
held -q -n 'later:::cuont { n++; } tick-1ms { exit(3); }' -c "$TBUF_TARGET wait"
exec 5>&-
