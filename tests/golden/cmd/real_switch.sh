# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# Records and drops add up to the fires, exactly, and numbers rise.
for size in 16 100 2k 1m; do
	"$TBUFCTL" -q -b $size -n count -c "$TBUF_TARGET fire=100000" \
	    >out 2>err
	echo "= $?"
	set -- $(total err)
	echo "$size: $(($1 + $3)) in all, $2 overwritten"
	[ $(wc -l <out) -eq $1 ] || echo "$1 records, $(wc -l <out) lines"
	sed -n 's/^tbufctl: \([0-9]*\) drops* on CPU.*/\1/p' err |
	    awk -v drops=$3 '{ n += $1 }
	    END { if (n != drops) print n " drops told of " drops }'
	sed 's/number=\([0-9]*\) .*/\1/' out |
	    awk '$1 <= last { print last " before " $1 } { last = $1 }'
	sed 1q out
done
