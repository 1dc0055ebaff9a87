# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# Clauses that do not fit probes whose types were not known before the run.
count="$TBUF_TARGET fire=2"

# A name that the probe does not have, in each place of a clause.
ctl -q -n 'tt:::count { trace(numbr); }' -c "$count"
ctl -q -n 'tt:::count /numbr > 1/ { trace(text); }' -c "$count"
ctl -q -n 'count { @[txt] = count(); }' -c "$count"
ctl -q -n 'count { self->x = nmber + number; }' -c "$count"
ctl -q -n 'count { if (numbr > 1) { trace(number); } }' -c "$count"
ctl -q -x errtags -n 'count { trace(zzz); }' -c "$count"

# Types that do not fit.
ctl -q -n 'count { printf("%s", number); }' -c "$count"
ctl -q -n 'count { trace(number * text); }' -c "$count"

# The lines of a script, and those of -n with lines of its own.
cat >t.d <<'EOF'
BEGIN
{
	n = 0;
}

tt:::count
/number > 0/
{
	n++;
	trace(numbr);
}

tt:::count { trace(tex); trace(nosuch); }
tt:::count { @ = count(); }
EOF
ctl -q -s t.d -c "$count"
ctl -q -n 'tt:::count {
	trace(numbr);
}' -c "$count"
ctl -q -n 'count { trace(text); }' -n 'count { trace(txt); }' -c "$count" |
    grep -v one

# Whatever the run: other policies, children, JSON, a status of its own.
ctl -q -x bufpolicy=ring -n 'count { trace(numbr); }' -c "$count"
ctl -q --follow -n 'count { trace(numbr); }' -c "sh -c '$count; :'" | sort
ctl --format=json -n 'count { trace(numbr); }' -c "$count"
ctl -q -n 'count { trace(numbr); } END { exit(5); }' -c "$count"
# The run may end before its command does.
ctl -q -n 'count { exit(5); } count { trace(numbr); }' -c "$count" |
    grep -v 'left running'
ctl -q -Z -n 'count { trace(numbr); }' -c "$count"

# Three of its probes are listed, whose arguments differ.
ctl -q -n 'tt::: { trace(numbr); }' -c "$TBUF_TARGET fire=1 types" |
    sed '/^tbufctl: arguments of\|did you/d'
# A clause that fits some of the probes that it matches is no failure.
ctl -q -n 'tt::: { trace(number); }' -c "$TBUF_TARGET fire=1 types"

# It is none with a process that runs, or that was recorded.
start 3 4 enabled fire=1 types
"$TBUFCTL" -q -n 'tt::: { @[array] = count(); } tt:::count { n++; }' \
    -p $target >out 2>&1 &
ctl=$!
tell 3
wait $ctl
echo "= $?"
normal <out | first_probe
wait $target
rm -f in3 out4 "$TBUF_DIR"/*
TBUF_OPTIONS=bufsize=64k,probes=tt::: "$TBUF_TARGET" fire=1 types \
    >/dev/null 2>&1 </dev/null
ctl -q -n 'tt::: { @[array] = count(); }' --read "$TBUF_DIR"/tbuf.* |
    sed 's|/[^ ]*/tbuf\.[0-9]*\.[0-9a-f]*|FILE|' | first_probe
