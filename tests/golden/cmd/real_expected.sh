# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# Descriptions of probes that are known before a command runs are checked before
# it runs: `ran` would be its file.
# A link would be followed: modules have the names of files.
cp "${TBUF_TARGET%/*}/units_plus" plus
ran='sh -c ":>ran"'
expect()
{
	rm -f ran
	ctl "$@"
	[ ! -e ran ] || echo "the command has run"
}

# Preloaded providers, and tbufctl's own: whatever the command is.
expect -n 'libc::mallocc:entry { n++; } tick-1h { n++; }' -c "$ran"
expect -n libc::mallocc:entry -c "$ran"
expect -n 'libc:::contendde { n++; }' -c "$ran"
expect -P libc -f libc::mallocc -c "$ran"
expect -n 'syscall::opn:entry' -n 'syscall::close:exit' -c "$ran"
expect -n 'syscall::o*n:entry { n++; } syscall::opn*:entry { n++; }' -c "$ran"
expect -n 'dtrace:::BEGN { n++; }' -c "$ran"
expect -n 'profile:::tick-5x { n++; }' -c "$ran"
expect -e -n 'libc::mallocc:entry { n++; }' -c "$ran"
echo 'libc::malloc:entry { n++; } syscall::rread:entry { n++; }' >t.d
expect -s t.d -c "$ran"
expect --follow -n libc::mallocc:entry -c "$ran"
# Of a list one description is enough; -Z allows it.
expect -q -n libc::mallocc:entry,libc::malloc:entry -c true | tail -n 1
expect -q -Z -n 'libc::mallocc:entry { n++; }' -c "$ran"
# What a shell starts may have any other probes.
expect -q -n 'plus:::x { n++; }' -c "$ran"
expect -q -n 'tt:::stpe' -c 'sh -c ./plus'

# Providers of sites: a program that loads nothing has all of them in its files.
expect -n tt:::stpe -c ./plus
expect -n 'tt:::stpe { n++; }' -c ./plus
expect -n 'tt:plsu::step { n++; }' -c ./plus
expect -n 'tick-5x { n++; }' -c ./plus
expect -q -n 'nosuch:::stpe' -c ./plus
expect -q -n 't*:::stpe' -c ./plus
expect -q --follow -n tt:::stpe -c ./plus
expect -q -n 'tt:::step { @ = sum(n); }' -c ./plus
# This one registers probes while it runs.
expect -q -n tt:::cuont -c "$TBUF_TARGET fire=1"

# The arguments of these probes are known as well.
expect -n 'tt:::step { trace(m); }' -c ./plus
expect -n 'tt:::step /m/ { trace(n); }' -c ./plus
expect -n 'step { trace(n + nn); }' -c ./plus
expect -n 't*:::step { trace(nn); }' -c ./plus
expect -n 'tt:::step { printf("%s", n); }' -c ./plus
expect -n 'libc::open*:return { trace(pth); }' -c "$ran"
expect -n 'syscall::read:entry { trace(fdd); }' -c "$ran"
expect -n 'syscall::openat:entry { printf("%s", path); }' -c "$ran"
expect -n 'tt:::step { trace(args[1]); }' -c ./plus
expect -n 'syscall::read:entry { trace(args[3]); }' -c "$ran"

# Words in the wrong fields, which no check before the run sees.
ctl -q -n malloc -c true
ctl -q -n 'openat { n++; }' -c true
ctl -q -n tt:count -c "$TBUF_TARGET fire=1"
ctl -q -n 'tt:count { n++; }' -c "$TBUF_TARGET fire=1"
