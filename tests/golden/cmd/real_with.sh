# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# --with names the program of each record, of records of tbufctl's own probes
# and of files as well; JSON always has it.
all=date,delta,elapsed,name,cpu,execname
ctl -q --with=$all -n tt:::count -c "$TBUF_TARGET fire=3" |
    sed "s/ cpu=[0-9]* / cpu=N /"
ctl --format=json -n tt:::count -c "$TBUF_TARGET fire=2"
ctl -q --with=execname,elapsed -n 'BEGIN { exit(0); }'
ctl -q --format=json --with=date -n 'BEGIN { trace(1); exit(0); }'
ctl -q --with=execname,name -n 'count { trace(number); }' \
    -c "$TBUF_TARGET fire=1"
export TBUF_OPTIONS=bufsize=64k,probes=count
"$TBUF_TARGET" fire=2
unset TBUF_OPTIONS
for file in "$TBUF_DIR"/tbuf.*; do
	"$TBUFCTL" -q --read="$file" --with=execname,elapsed 2>&1 | normal
	"$TBUFCTL" --read="$file" --format=log \
	    -n 'count { printf("number %d", number); }' \
	    -n 'count { printf("the same %d\n", number); }' 2>&1 | normal
done
