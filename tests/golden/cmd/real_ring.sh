# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# The newest records are printed without gaps up to the last; the rest is
# counted.
for size in 1000 16k 1m; do
	"$TBUFCTL" -q -x bufpolicy=ring -b $size -n count \
	    -c "$TBUF_TARGET fire=100000" >out 2>err
	echo "= $?"
	set -- $(total err)
	echo "$size: $(($1 + $2)) in all, $3 drops"
	[ $(wc -l <out) -eq $1 ] || echo "$1 records, $(wc -l <out) lines"
	sed 's/number=\([0-9]*\) .*/\1/' out |
	    awk 'NR > 1 && $1 != last + 1 { print last " before " $1 }
	    { last = $1 } END { print "last: " last }'
	grep -c overwritten err
done
# The program was killed.
ctl -q -x bufpolicy=ring -b 1k -n count -c "$TBUF_TARGET fire=7 kill=9"
