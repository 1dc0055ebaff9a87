# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# Variables of threads and arrays at the probes of programs.
ctl -q -n 'self int sum;
    tt:::count { self->last = number; self->what = text; }
    tt:::count /number % 2/ { self->sum += self->last; }
    tt:::count { printf("%d %d %s\n", self->last, self->sum, self->what); }' \
    -c "$TBUF_TARGET fire=4"
ctl -q -n 'tt:::count { seen[number % 2, text]++; last[text] = number;
	self->count[text]++; }
    tt:::count { printf("%d %d %d\n", seen[number % 2, text], last[text],
	self->count[text]); }' -c "$TBUF_TARGET fire=4"
ctl -q -n 'struct point { char c; int x; int y[2]; } p;
    self struct point mine;
    tt:::count { p.x = number; p.y[number % 2] += 10; self->mine.x = -number;
	self->mine.y[1] = 7; }
    tt:::count { printf("%d %d %d %d %d\n", p.x, p.y[0], p.y[1],
	self->mine.x, self->mine.y[1]); }' -c "$TBUF_TARGET fire=3"
# A store without room is reported, and ends its clause.
ctl -q -x dynvarsize=1k -n 'tt:::count { many[number] = 1; n++; }
    END { printf("%d\n", n); }' -c "$TBUF_TARGET fire=200"
# Structures in arrays: members, texts and structures in them, and as a whole.
for rseq in 1 0; do
	GLIBC_TUNABLES=glibc.pthread.rseq=$rseq \
	    ctl -q -n 'struct point { char c:3, d:5; string name; int y[3];
	struct { short a, b; } in; }; struct point m[int], copy;
    self struct point s[string, int];
    tt:::count { m[number % 2].y[number % 3] += number;
	m[number % 2].in.b = -number; m[number % 2].c = number;
	m[number % 2].d = -1; m[5] = m[number % 2]; m[5].name = text;
	m[5].name = number > 2 ? "cut" : m[5].name;
	self->s[text, 1].in = m[5].in; self->s[text, 1].in.a++;
	copy = m[5]; }
    tt:::count { printf("%d %d %d, %s %d %d, %d %d, %d %d",
	m[number % 2].y[0], m[number % 2].y[1], m[number % 2].y[2],
	m[5].name, m[5].c, m[5].d, self->s["a text", 1].in.a,
	self->s["a text", 1].in.b, copy.in.b, m[number % 2].in.b);
	printf("\n"); }
    tt:::count /number == 2/ { print(m[5]); printf("\n"); }' \
	    -c "$TBUF_TARGET fire=4"
done
ctl -q -x dynvarsize=1k -n 'struct point { int x[10]; } m[int];
    tt:::count { m[number].x[number % 10] = 1; n++; }
    END { printf("%d\n", n); }' -c "$TBUF_TARGET fire=12"
ctl -q -n 'struct point { char x[1025]; } m[int];
    tt:::count { m[1].x[1] = 1; }' -c "$TBUF_TARGET fire=1"
