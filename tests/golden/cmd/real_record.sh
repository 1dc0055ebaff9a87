# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# same OPTION... -- ORDER...: record() prints what a description alone does.
same()
{
	options=
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	echo "$options: $*"
	# shellcheck disable=SC2086 # a list
	"$TBUFCTL" -q $options -n tt::: -c "$TBUF_TARGET $*" 2>&1 |
	    normal >bare
	# shellcheck disable=SC2086 # a list
	"$TBUFCTL" -q $options -n 'tt::: /pid != 0/ { record(); }' \
	    -c "$TBUF_TARGET $*" 2>&1 | normal >recorded
	# A script ends with an empty line in place of the total.
	sed -i -e '/^tbufctl: total/d' -e '/^$/d' bare recorded
	wc -l <recorded
	diff bare recorded
}

same -- types
same --format=json -- types
same --format=log -- types
same -F -- fire=3
same --with=execname,name -- fire=3
same -x strsize=4 -- types
same -x bufpolicy=ring -x bufscope=thread -- threads=3
same --follow -- spawn=2

# Among other actions the record comes first; exit() leaves no row.
ctl -n 'count /number > 1/ { record(); }' -c "$TBUF_TARGET fire=3"
ctl -q -n 'count { trace(number); record(); printf(" is %d\n", number); }' \
    -c "$TBUF_TARGET fire=2"
ctl -q --format=json -n 'count { record(); trace(number); }' \
    -c "$TBUF_TARGET fire=1"
ctl -n 'count /number == 2/ { record(); exit(3); }' -c "$TBUF_TARGET fire=3" |
    sed '/^tbufctl: pid PID/d'
ctl -q -n 'count /number == 1/ { self->s = speculation(); }
    count { speculate(self->s); record(); }
    count /number == 2/ { commit(self->s); }' -c "$TBUF_TARGET fire=2"

# Records of files; and those that a clause has left in a file.
export TBUF_OPTIONS=bufsize=64k,probes=count
"$TBUF_TARGET" fire=3
unset TBUF_OPTIONS
for file in "$TBUF_DIR"/tbuf.*; do
	"$TBUFCTL" -q --read="$file" -n 'count /number > 1/ { record(); }' \
	    2>&1 | normal
	rm "$file"
done
start 7 8 enabled fire=2 say=fired wait
tell 7
"$TBUFCTL" -q -x bufpolicy=ring -p "$target" \
    -n 'count { trace(1); record(); trace(number); }' >out 2>&1 &
tracer=$!
hear 8 fired
"$TBUFCTL" -q --read="$target" 2>&1 | normal
"$TBUFCTL" -q --format=json --read="$target" 2>&1 | normal
tell 7
wait "$target" "$tracer"

# tbufctl's own probes have no arguments.
for probe in BEGIN END dtrace:::ERROR tick-1s profile:::profile-97; do
	ctl -n "$probe { record(); }"
done
ctl -q -n ':::BEGIN*,tt::: { record(); }' -c "$TBUF_TARGET fire=1"
ctl -n 'count /number > 1/' -c "$TBUF_TARGET fire=3"
ctl -n 'count { record(1); }' -c "$TBUF_TARGET fire=3"
