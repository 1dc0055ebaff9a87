# SPDX-License-Identifier: BSD-2-Clause
#
# this-> variables and computed numbers, over the statements of a clause that is
# alone at its probe.  Steps of a plan run it and, at a new key, the machine
# continues, which must find the values of the steps.  Under -x cpu the machine
# runs all clauses.
. "$HERE/common_real"

lowest=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)

# both OPTIONS: compares the output of plans and machine.
both()
{
	ctl -q "$@"
	"$TBUFCTL" -q "$@" >steps 2>&1
	"$TBUFCTL" -q -x cpu="$lowest" "$@" >machine 2>&1
	cmp steps machine
}

cat >statements.d <<'EOD'
tt:::count
/arg0 > 20/
{
	this->half = arg0 / 2;
	@half = sum(this->half);
	this->tens = arg0 / 10;
	@tens[this->tens] = sum(this->half);
	this->half = arg0 * 3;
	@thrice[arg0] = max(this->half);
	@low[arg0 & 7, arg0 % 3] = count();
	self->last = this->half;
	@[(short)arg0] = count();
	@end = sum(this->half);
}

END
{
	trunc(@thrice, 2);
	trunc(@tens, 3);
	trunc(@, 2);
	printa("half %@d, ", @half);
	printa("end %@d\n", @end);
	printa("%d: %@d\n", @thrice);
	printa("%d: %@d\n", @tens);
	printa("%d: %@d\n", @);
	printa("%d, %d: %@d\n", @low);
}
EOD
both -s statements.d -c "$TBUF_TARGET fire=600"

# Each operation, and the truncation of its result.
cat >operations.d <<'EOD'
tt:::count
{
	@["*"] = sum(arg0 * -3);
	@["/"] = sum(arg0 / -7);
	@["%"] = sum(arg0 % -7);
	@["<<"] = sum(arg0 << 60);
	@[">>"] = sum(arg0 >> 2);
	@["&"] = sum(arg0 & 0x55);
	@["char"] = sum((char)arg0);
	@["uchar"] = sum((unsigned char)arg0);
}

END
{
	printa("%s: %@d\n", @);
}
EOD
cat >lengths.d <<'EOD'
tt:::count
{
	this->less = arg0 - 300;
	@["char"] = sum((char)this->less);
	@["short"] = sum((short)this->less);
	@["uint"] = sum((unsigned int)this->less);
	@["int"] = sum((int)this->less);
	@["long"] = sum(this->less);
	@["hundreds"] = sum(arg0 / 100);
	@["tid"] = sum(tid & 0);
}

END
{
	printa("%s: %@d\n", @);
}
EOD
both -s operations.d -c "$TBUF_TARGET fire=600"
both -s lengths.d -c "$TBUF_TARGET fire=600"

# A statement uses two of the thread's numbers.
cat >two.d <<'EOD'
tt:::count
{
	self->a = arg0;
	self->b = arg0 % 3;
	self->c = arg0 % 5;
}

tt:::count
/self->b/
{
	@a[self->a % 10] = sum(self->b);
	@greatest[self->c] = max(self->a);
	self->b = 0;
}

tt:::count
/self->b/
{
	@never = count();
}

tt:::count
{
	@sum = sum(self->a);
	@both[self->b, self->c] = sum(self->c);
}

tt:::count
/self->c/
{
	@three[self->b] = sum(self->a);
}

tt:::count
/self->c/
{
	@third = lquantize(self->b, 0, 2, 1, self->a);
}

tt:::count
/self->c && arg0 > 590/
{
	@late[arg0] = min(self->a - 1000);
}

END
{
	printa("%d: %@d\n", @a);
	printa("greatest %d: %@d\n", @greatest);
	printa("%@d\n", @sum);
	printa("both %d %d: %@d\n", @both);
	printa("late %d: %@d\n", @late);
	printa("three %d: %@d\n", @three);
	printa("third %@d", @third);
	printa(@never);
}
EOD
cat >two_alone.d <<'EOD'
tt:::blob
{
	self->ts = 1;
	self->op = 3;
	self->more = 5;
}

tt:::count
/self->ts/
{
	@buckets = lquantize(timestamp - self->ts, 0, 1, 1, self->op);
	self->ts = 1;
}
EOD
cat >two_behind.d <<'EOD'
tt:::blob
{
	self->ts = 1;
	self->op = 3;
	self->more = 5;
}

tt:::count
/self->ts/
{
	this->op = self->op;
	@op[arg0 % 3] = sum(this->op);
	@more = sum(self->more);
	@ops = sum(this->op);
	@mores[self->ts] = sum(self->more);
	@again = sum(this->op);
}
EOD
both -s two.d -c "$TBUF_TARGET fire=600"
both -s two_alone.d -c "$TBUF_TARGET large=8 fire=600"
both -s two_behind.d -c "$TBUF_TARGET large=8 fire=600"

# All statements have the same time, and the same number of the thread's, though
# another one is stored in between.
cat >passed.d <<'EOD'
tt:::blob
{
	self->since = timestamp;
}

tt:::count
/self->since/
{
	this->passed = timestamp - self->since;
	@once = sum(this->passed);
	@by[arg0 % 40] = sum(this->passed);
	self->other = arg0;
	@micro[arg0 % 3] = sum(this->passed / 1000);
	@new[arg0] = sum(this->passed);
	@micros = sum(this->passed / 1000);
	@last = sum(this->passed);
}

END
{
	printa("once %@d\n", @once);
	printa("by %@d\n", @by);
	printa("micro %@d\n", @micro);
	printa("new %@d\n", @new);
	printa("micros %@d\n", @micros);
	printa("last %@d\n", @last);
}
EOD
# If a later step loads another of the thread's numbers, the machine runs it.
sed 's/self->other = arg0/@other = sum(self->other + 1)/
    s/^tt:::blob$/tt:::blob { self->other = 0; } tt:::blob/' passed.d >loaded.d
for how in "-s passed.d" "-s loaded.d" "-x cpu=$lowest -s passed.d"; do
	# shellcheck disable=SC2086 # words
	"$TBUFCTL" -q $how -c "$TBUF_TARGET large=8 fire=600" |
	    awk 'NF == 2 { n[$1]++; sum[$1] += $2 }
		END {
			once = sum["once"]
			same = once > 0 && sum["by"] == once &&
			    sum["new"] == once && sum["last"] == once &&
			    sum["micro"] == sum["micros"]
			print n["by"], n["new"], same
		}'
done
