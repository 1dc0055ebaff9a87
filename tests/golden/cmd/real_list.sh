# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# Probes are listed by -l and -lv.
start 3 4 enabled say=on wait
first=$target
ctl -l -p $target | sed -E 's/^ *[0-9]+ /ID /' | sort
for name in count no_arguments; do
	"$TBUFCTL" -lv -n $name -p $target | sed -E '1d;s/^ *[0-9]+ /ID /'
done
"$TBUFCTL" -lv -n strings -p $target | sed -E '1d;s/^ *[0-9]+ /ID /'
"$TBUFCTL" -l --format=json -n strings -p $target | sed -E 's/"id":[0-9]+/"id":N/' |
    sed "s/\"pid\":$target/\"pid\":PID/"
# The id that is listed is the id that -i takes.
id=$("$TBUFCTL" -l -n count -p $target | sed -n '2s/^ *\([0-9]*\) .*/\1/p')
"$TBUFCTL" -l -i $id -p $target | sed '1d;s/.* //'
# With one target there is no column for pids, whether it is traced or not.
"$TBUFCTL" -q -n count -p $target 2>err &
ctl=$!
tell 3
hear 4 on
"$TBUFCTL" -l -n count | sed -E 's/^ *[0-9]+ /ID /'
kill $ctl
wait $ctl
start 5 6
"$TBUFCTL" -l -n count -p $first -p $target |
    sed -E "s/^( *)$first /first /;s/^( *)$target /second /;s/ [0-9]+ / ID /" |
    LC_ALL=C sort
"$TBUFCTL" -l -n count | grep -c count
tell 3
tell 5
wait
ctl -l
# The probes of a command are listed, which is not executed.  (A sanitizer's
# library complains if it is not the first, but still works.)
export ASAN_OPTIONS="${ASAN_OPTIONS+$ASAN_OPTIONS:}verify_asan_link_order=0"
ctl -l -n count -c "$TBUF_TARGET say=running" | sed -E 's/^ *[0-9]+ /ID /'
ctl -l -n nothing -c "$TBUF_TARGET say=running"
ctl -lZ -n nothing -c "$TBUF_TARGET say=running"
ctl -l -c "sh -c 'echo running'"
# The provider cannot run with a sanitizer, which replaces malloc, too.
if [ -z "${SANITIZER-}" ]; then
	"$TBUFCTL" -l -P libc -c "$TBUF_TARGET say=running"
else
	echo malloc entry
fi | grep -c 'malloc entry$'
ctl -l -c ./nothing
# A command with probes that cannot be traced reports why.  (A sanitizer brings
# libstdc++, which has other probes.)
TBUF_DISABLE=1
export TBUF_DISABLE
ctl -l -c "$TBUF_TARGET say=running" 2>&1 | grep -v ' libstdcxx:'
unset TBUF_DISABLE
start 7 8
"$TBUFCTL" -l -n count -p $target -c "$TBUF_TARGET say=running" |
    grep -c count
tell 7
wait
