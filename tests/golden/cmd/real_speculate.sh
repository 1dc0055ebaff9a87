# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# Speculations at the probes of a program are pending until they are committed
# or discarded.  No id becomes free before the end, however long the fires take.
cat >batch.d <<'END'
#pragma D option quiet
#pragma D option nspec=5
#pragma D option cleanrate=1000s

int spec;

count
/number % 4 == 1/
{
	spec = speculation();
}

count
{
	speculate(spec);
	printf("%d%s", number, number % 4 == 0 ? "\n" : " ");
}

count
/number == 8 || number == 16/
{
	commit(spec);
}

count
/number % 4 == 0/
{
	discard(spec);
}
END
# A part after an if does not end with the part before it.
cat >parts.d <<'END'
count
{
	speculate(0);
	printf("never");
	if (number > 1) {
		printf("part %d\n", number);
	}
	printf("end %d\n", number);
}
END
ctl -q -s parts.d -c "$TBUF_TARGET fire=2"
for policy in switch ring fill; do
	ctl -x bufpolicy=$policy -s batch.d -c "$TBUF_TARGET fire=20"
done
ctl --format=json -s batch.d -c "$TBUF_TARGET fire=9"

# Losses are reported by kind.
for option in specsize=64 nspec=0; do
	ctl -q -x $option -x cleanrate=1000s -x droptags -n 'int spec;
count { spec = speculation(); }
count { speculate(spec); printf("%d\n", number); }
count { speculate(spec); printf("%d again\n", number); }
count { speculate(spec); printf("%d once more\n", number); }
count { commit(spec); }' -c "$TBUF_TARGET fire=2"
done

# The file of a target that was killed after its consumer is read.
start 3 4 enabled fire=16 say=fired wait
"$TBUFCTL" -x bufpolicy=ring -s batch.d -p $target >out 2>&1 &
ctl=$!
tell 3
hear 4 fired
kill -KILL $ctl
wait $ctl 2>/dev/null
kill -KILL $target
wait $target 2>/dev/null
for i in 1 2; do
	"$TBUFCTL" --read "$TBUF_DIR/tbuf.$target."* 2>&1 | normal |
	    sed "s|$TBUF_DIR/tbuf\.[0-9]*\.[0-9a-f]*|FILE|g"
done
