# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"
. "$HERE/common_stack"
TBUF_TARGET=$(dirname "$TBUF_TARGET")/stacker

# A key's stack has as many frames as the key has room for.
key()
{
	ctl "$@" -c "$TBUF_TARGET deep=300" |
	    grep -Ev '[`]|^ *$|matched|has exited'
}
key -n 'deep { @[ustack(255)] = count(); }'
key -n 'deep { @[ustack(256)] = count(); }'
key -n 'deep { @[ustack(1000), 1] = count(); }'
key -n 'deep { @[ustack(1000), usym(ucaller), (char)1] = count(); }'
key -n 'deep { @[stack(300)] = count(); }'
key -n 'deep { @[jstack(300), execname] = count(); }'
key -n 'deep { @[ustack(128), ustack(9)] = count(); }'
key -x ustackframes=700 -n 'deep { @[ustack()] = count(); }'
key -x strsize=16 -n 'deep { @[execname, ustack(300)] = count(); }'
# Strings leave half of the room, and it is their lengths that count.
key -x strsize=4k -n 'deep { @[execname, ustack(100)] = count(); }'
key -x strsize=4k -n 'deep { @[execname, probename, ustack(300)] = count(); }'
# The first key decides; the line is known.
cat >t.d <<'EOF'
deep
{
	@a[ustack(300)] = count();
	@a[ustack(400)] = count();
	@b[ustack(500)] = count();
}
EOF
key -s t.d
# Samples are taken here, and unwound stacks are in no key of a program.
ctl -x strsize=16 -n 'BEGIN { @[ustack(1000)] = count(); exit(0); }' |
    grep -v 'matched\|:BEGIN'
key -x ustackunwind -n 'deep { @[ustack(256)] = count(); }'
# The frames are those that fit.
ctl -q -n 'deep { @[ustack(1000)] = count(); }' -c "$TBUF_TARGET deep=300" |
    grep -c '`deep'

# Structures as keys, on one line: a number, a text, and other bytes.
cat >t.d <<'EOF'
struct s { char name[12]; };
struct t { int a, b, c; };
struct n { char name[4]; };
struct s s;
struct t t;
struct n n;

BEGIN
{
	s.name[0] = 'a';
	s.name[1] = ';';
	s.name[2] = 'b';
	t.b = 258;
	n.name[0] = 7;
	@[n, s, t, -1] = count();
	exit(0);
}
EOF
ctl -q --format=folded -s t.d

# The names of addresses in JSON have a bound.
ctl -q --format=json -n 'long_ { ustack(3); usym(ucaller); @[ustack(2)] =
    count(); @u[usym(ucaller)] = count(); }' -c "$TBUF_TARGET long=1" |
    sed -E -e 's/(abc){1000}_/WHOLE_/g' -e 's/(abc)+/CUT/g' \
    -e 's/(\.cold)?\+0x[0-9a-f]+/+N/g'
