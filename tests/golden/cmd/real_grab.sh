# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# The reason why a process cannot be traced is printed; all processes are traced
# or none.
start 3 4
ctl -n count -p 4194304
ctl -n count -p $$
ctl -n count -p $target -p $$
ctl -l -p $$
# The missing provider is reported for a process that exists.
ctl -n libc::malloc:entry -p $$
ctl -n libc::malloc:entry -p 4194304
# No session remains, not even the first process's.
"$TBUFCTL" --stat -p $target | sed 1d
ctl --stat -p $$
ctl --stat -p $target -p 4194304
tell 3
wait
TBUF_DISABLE=1
export TBUF_DISABLE
start 5 6
unset TBUF_DISABLE
ctl -n count -p $target
tell 5
wait
# A command that changes its directory would not find a relative TBUF_DIR.
TBUF_DIR=here ctl -n count -c "$TBUF_TARGET fire=1"
TBUF_DIR=here ctl -n count
TBUF_DIR=here ctl --left
TBUF_DIR=here ctl --units
TBUF_DIR=here ctl --snapshot
TBUF_DIR=here ctl --set traceLevel=info
long=/$(printf '%0300d' 0)
TBUF_DIR=$long ctl --left
TBUF_DIR=$long ctl --units
TBUF_DIR=/nowhere/here ctl -n count
TBUF_DIR=/nowhere/here ctl -n count -c "$TBUF_TARGET fire=1"
if unshare -Urm true 2>/dev/null; then
	echo "it cannot be written"
	mkdir -m 700 sealed
	cat >seal <<'END'
#!/bin/sh
mount -t tmpfs -o ro,mode=700 tmpfs sealed &&
    TBUF_DIR=$PWD/sealed$NEW exec "$@"
END
	chmod +x seal
	printf '#!/bin/sh\nexec unshare -Urm ./seal "%s" "$@"\n' "$TBUFCTL" >ctl
	chmod +x ctl
	outer=$TBUFCTL TBUFCTL=./ctl
	ctl -n count -c "$TBUF_TARGET fire=1"
	export NEW=/new
	ctl -n count -c "$TBUF_TARGET fire=1"
	ctl -n count
	TBUFCTL=$outer
	echo
else
	sed -n "/^it cannot be written/,/^$/p" "$HERE/real_grab.ok"
fi
# With the pids of another namespace no process is found, and no file is
# removed.
if unshare -Urpf true 2>/dev/null; then
	echo "/proc is another's"
	printf '#!/bin/sh\nexec unshare -Urpf "%s" "$@"\n' "$TBUFCTL" >inner
	chmod +x inner
	TBUFCTL=./inner
	ctl -n count -c "$TBUF_TARGET fire=1"
	ctl -n count
	ctl -n count -p 1
	ctl -q -n 'BEGIN { exit(0); }'
else
	sed -n "/^\/proc is another's/,\$p" "$HERE/real_grab.ok"
fi
