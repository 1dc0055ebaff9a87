# SPDX-License-Identifier: BSD-2-Clause
#
# Several clauses at a probe, and several statements in one, with enough fires
# for plans: the scripts of tests/golden/d run on one CPU (-x cpu), where the
# machine runs all clauses.
. "$HERE/common_real"

# Simple clauses and others, with variables of a fire and of the thread.
cat >in_turn.d <<'EOF'
tt:::count
{
	@["each"] = count();
}

tt:::count
/arg0 > 300/
{
	@["late"] = count();
	@sums["late"] = sum(arg0);
	self->late = 1;
}

tt:::count
{
	this->next = arg0 + 1;
	this->word = strtok("one two", " ");
}

tt:::count
/this->next == arg0 + 1/
{
	@["shared"] = count();
	@words[this->word] = count();
	@words[strtok(NULL, " ")] = count();
}

tt:::count
/self->late/
{
	@["kept"] = count();
	self->late = 0;
	@sums["kept"] = sum(arg0);
}

tt:::count
/self->late/
{
	@["not kept"] = count();
}

tt:::count
{
	@least = min(arg0);
	@greatest = max(arg0);
	@buckets = lquantize(arg0, 0, 600, 200);
	@["last"] = count();
}

END
{
	printa("%-8s %@d\n", @);
	printa("%-8s %@d\n", @sums);
	printa("%-8s %@d\n", @words);
	printa("%@d to ", @least);
	printa("%@d", @greatest);
	printa(@buckets);
}
EOF
ctl -q -s in_turn.d -c "$TBUF_TARGET fire=600"

# After exit() no clause of that fire runs.  Whether the program still runs
# depends on how soon that is noticed.
cat >until_exit.d <<'EOF'
tt:::count
{
	@before = count();
}

tt:::count
/arg0 == 400/
{
	exit(3);
}

tt:::count
{
	@behind = count();
}

END
{
	printa("before %@d\n", @before);
	printa("behind %@d\n", @behind);
}
EOF
"$TBUFCTL" -q -s until_exit.d -c "$TBUF_TARGET fire=600" 2>/dev/null
echo "= $?"

# A clause has one time, in its steps and in the machine, which runs the rest at
# each new key.
cat >one_time.d <<'EOF'
tt:::count
/arg0 > 300/
{
	self->since = timestamp;
}

tt:::count
/self->since/
{
	@once = sum(timestamp - self->since);
	@again[arg0] = sum(timestamp - self->since);
	self->since = 0;
}

tt:::count
{
	@number[self->since] = count();
}

END
{
	printa("once %@d\n", @once);
	printa("again %@d\n", @again);
	printa("%d %@d\n", @number);
}
EOF
"$TBUFCTL" -q -s one_time.d -c "$TBUF_TARGET fire=600" | awk '
	$1 == "once" { once += $2; next }
	$1 == "again" { again += $2; n++; next }
	{ print }
	END {
		print n, (once == again && once > 0 ? "the same" : once " " again)
	}'

# A program that is alone at its probe may keep its this-> variables to itself,
# in one step; others may not.
cat >alone.d <<'EOF'
tt:::count
{
	this->next = arg0 + 1;
	this->last = this->next;
	@sums[this->last > 0] = sum(this->last);
}
EOF
{
	cat alone.d
	echo 'tt:::count { @behind[this->last] = count(); }'
	echo 'tt:::count { @last = max(this->last); }'
} >not_alone.d
cat >two_steps.d <<'EOF'
tt:::count
{
	this->next = arg0;
	@least = min(this->next);
	this->other = this->next;
	@greatest = max(this->next);
	@once[arg0] = max(this->other);
}
EOF
ctl -q -s alone.d -c "$TBUF_TARGET fire=300"
ctl -q -s not_alone.d -n 'END { trunc(@behind, 3); }' \
    -c "$TBUF_TARGET fire=300"
ctl -q -s two_steps.d -n 'END { trunc(@once, 2); }' \
    -c "$TBUF_TARGET fire=300"

# A record without a clause is between clauses.
ctl -n 'tt:::count { @["a"] = count(); }' -n tt:::count \
    -n 'tt:::count { @["b"] = count(); }' -c "$TBUF_TARGET fire=3"
ctl -n 'tt:::other-types { @["a"] = count(); }' -n tt:::other-types \
    -n 'tt:::other-types { @["b"] = count(); }' \
    -c "$TBUF_TARGET types types types"
