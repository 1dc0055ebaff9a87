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
# What has no room is told, and ends its clause.
ctl -q -x dynvarsize=1k -n 'tt:::count { many[number] = 1; n++; }
    END { printf("%d\n", n); }' -c "$TBUF_TARGET fire=200"
ctl -q -x dynvarsize=1k -n 'struct point { int x; } m[int];
    tt:::count { m[1].x = 1; }' -c "$TBUF_TARGET fire=1"
