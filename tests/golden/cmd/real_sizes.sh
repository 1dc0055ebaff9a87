# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# A size for which there is no space, or that is more than there can be, is
# lowered, which is reported; with bufresize=manual tracing is refused.
export TBUF_MAXSIZE=64m
sizes()
{
	"$TBUFCTL" -b 64k "$@" 2>&1 |
	    sed -E 's/lowered to [0-9]+([kmg]| bytes)$/lowered to N/' |
	    grep -e lowered -e enable -e total
	ctl -q -b 64k -x bufresize=manual "$@"
}

speculation='count { spec = speculation(); }
count { speculate(spec); trace(number); }
count { commit(spec); }'

# Programs' probes.
for size in bufsize=100g bufsize=10t; do
	sizes -x $size -n count -c "$TBUF_TARGET fire=1"
done
sizes -x aggsize=16g -n 'count { @ = count(); }' -c "$TBUF_TARGET fire=1"
sizes -x specsize=1g -n "$speculation" -c "$TBUF_TARGET fire=1"
sizes -x nspec=240 -x specsize=1g -n "$speculation" -c "$TBUF_TARGET fire=1"
sizes -x nspec=1000 -x specsize=1k -n "$speculation" -c "$TBUF_TARGET fire=1"
for clause in 'self->x = 1;' 'x[1] = 1;' 'self->x = 1; x[1] = 1;'; do
	sizes -x dynvarsize=100t -n "count { $clause }" \
	    -c "$TBUF_TARGET fire=1"
done
sizes -x nunits=1024 -x unitsize=64m -x dynvarsize=100t -x specsize=100t \
    -x aggsize=100t -n count -c "$TBUF_TARGET fire=1"
sizes -x strsize=64k -n count -c "$TBUF_TARGET fire=1"

# Probes of tbufctl alone: what is not used is not lowered.
for size in bufsize=100g bufsize=10t aggsize=16t specsize=1t dynvarsize=1t; do
	sizes -x $size -n 'BEGIN { exit(0); }'
done
sizes -x aggsize=16t -n 'BEGIN { @ = count(); exit(0); }'
sizes -x specsize=1t -n 'BEGIN { x = speculation(); exit(0); }
BEGIN { speculate(x); trace(1); }'
for clause in 'self->x = 1;' 'x[1] = 1;'; do
	sizes -x dynvarsize=100t -n "BEGIN { $clause exit(0); }"
done
sizes -x scratchsize=100g -x strsize=100g -n 'BEGIN { exit(0); }'
TBUF_MAXSIZE=16g
sizes -x nspec=100000 -x specsize=1k \
    -n 'BEGIN { speculate(1); trace(1); } END { exit(0); } BEGIN { exit(0); }'
