#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# gdb's commands `tbuf bt` and `tbuf probes` show the same as tbufctl, of a
# process and of a core, and gdb finds them by the library's path.

set -u
. "${top_srcdir:?}/tests/lib/scratch.sh"
. "$top_srcdir/tests/lib/same.sh"
[ -z "${SANITIZER-}" ] || {
	echo 'a sanitizer has signals and cores of its own'
	exit 77
}
: "${TBUFCTL:?}" "${top_builddir:?}"

skip()
{
	echo "$*"
	exit 77
}

command -v gdb >/dev/null || skip 'no gdb'
gdb -nx -batch -ex 'python print(6 * 7)' 2>&1 | grep -q -x 42 ||
    skip 'gdb without Python'
target=$top_builddir/tests/system/fatal_signal_target
script=$top_srcdir/gdb/libtbuf-gdb.py
export TBUF_DIR="$SCRATCH/dir" CORES=1
unset TBUF_OPTIONS TBUF_WINDOW TBUF_DISABLE DEBUGINFOD_URLS
mkdir -m 700 "$TBUF_DIR"
cd "$SCRATCH" || exit 1

# debug ARGUMENT ... -- COMMAND ...: puts the commands' output into `got`.
debug()
{
	more=
	while [ "$1" != -- ]; do
		more="$more '$1'"
		shift
	done
	shift
	for line; do
		more="$more -ex '$line'"
	done
	eval "gdb -nx -batch -x '$script' $more" >all 2>&1 </dev/null
	sed -n '/^tbuf: /,$p' all | grep -v '^\[Inferior' >got
}

# values FILE: prints the values of records only.
values()
{
	sed -n 's/^-[0-9.]* \(ticks \)\{0,1\}cpu [0-9]* tid [0-9]* ft:fatal_signal_target:[a-z_]*:[a-z]* //p' "$1"
}

more="" program=ft:::
# start FILTER ORDER ...: starts a traced target that waits; sets $file.
start()
{
	filter=$1
	shift
	rm -f in out "$TBUF_DIR"/tbuf.*
	mkfifo in out
	# shellcheck disable=SC2016 # the inner shell's
	# shellcheck disable=SC2086 # options have no blanks
	"$TBUFCTL" -q $more -x bufpolicy=ring -b 256k -n "$program" -o live -c "sh -c '
	    echo $filter >/proc/self/coredump_filter 2>/dev/null
	    exec \"\$0\" \"\$@\"' '$target' $* say=ready wait" <in >out 2>err &
	ctl=$!
	exec 5>in 6<out
	read -r heard <&6
	same 'the target' ready "$heard"
	file=$(echo "$TBUF_DIR"/tbuf.*)
	pid=$(basename "$file" | cut -d . -f 2)
}

finish()
{
	exec 5>&-
	wait $ctl
	exec 6<&-
}

start 0x3b fire=700 thread=700 types fire=3
"$TBUFCTL" -q -x temporal --read "$file" >all.records 2>/dev/null
debug -p "$pid" -- 'tbuf bt 900'
grep -q '^ptrace: \|Could not attach\|Operation not permitted' all && {
	finish
	skip 'gdb may not attach to a process here'
}
same 'the heading' "tbuf: last 900 of 1407 records of fatal_signal_target, pid $pid" \
    "$(head -n 1 got)"
tail -n 900 all.records >expected
values got >found
same 'a process: the last records' '' "$(diff expected found | head)"
debug -p "$pid" -- 'tbuf bt'
same 'twenty without a number' 21 "$(wc -l <got)"
# A session is changed to look as if it had just begun.
debug -p "$pid" -- 'python
m = Memory()
for i in range(NSLOTS):
    if m.u32(256 + 4 * i) in READABLE:
        now = m.u64(SLOTS + i * SLOT_SIZE + 8) + 48
        m.inferior.write_memory(m.base + now, bytes(24))
backtrace(2)'
same 'ticks, and that they are' '1 2' "$(grep -c '^Times in ticks' all) $(
    grep -c '^-[0-9]* ticks cpu' got)"
for bad in 0 x -3 '1 2'; do
	debug -p "$pid" -- "tbuf bt $bad"
	same "bt $bad" "not a number of records: $bad" \
	    "$(grep '^not a' all)"
done
debug -p "$pid" -- 'tbuf probes'
same 'its probes' "$("$TBUFCTL" -l -p "$pid" 2>/dev/null | sort)" \
    "$(sed -n '/^   ID/,$p' all | grep -v '^\[Inf' |
	sed 's/ (enabled)$//' | sort)"
same 'all are enabled' 5 "$(grep -c '(enabled)$' all)"
debug -p "$pid" -- 'tbuf probes 1'
same 'no argument' 'tbuf probes takes no argument' "$(grep '^tbuf probes' all)"

# gdb loads the script by the library's path.
library=$(readlink -f "$(ldd "$target" | sed -n 's/.*=> \(.*libtbuf[^ ]*\) .*/\1/p')")
if [ -n "$library" ]; then
	mkdir -p "auto$(dirname "$library")"
	cp "$script" "auto$library-gdb.py"
	gdb -nx -batch -iex "set auto-load safe-path $PWD/auto" \
	    -iex "set auto-load scripts-directory $PWD/auto" -p "$pid" \
	    -ex 'tbuf bt 2' >got 2>&1 </dev/null
	same 'auto-load' 2 "$(grep -c ' ft:fatal_signal_target:fire:last ' got)"
fi

if command -v gcore >/dev/null && gcore -o g "$pid" >/dev/null 2>&1 </dev/null
then
	rm "$file"
	debug "$target" "g.$pid" -- 'tbuf bt 900'
	values got >found
	same 'a core: the last records' '' "$(diff expected found | head)"
fi
finish

# The action record() leaves the probe's own record.
more=
start 0x3b fire=2 types
debug -p "$pid" -- 'tbuf bt 9'
values got >expected
finish
more=
program='ft::: /pid != 0/ { trace(7); record(); trace(8); }'
start 0x3b fire=2 types
debug -p "$pid" -- 'tbuf bt 9'
values got >found
same 'records of record()' 6 "$(wc -l <found)"
same 'record()' "$(sed 's/^/7 /; s/$/ 8/' expected)" "$(cat found)"
finish
program=ft:::

# There is an envelope, a commit record, a discarded unit, units in
# flight, and a table that wraps.
units()
{
	sed -E -e 's/for [0-9.]* ?(ticks)?:/for S:/; s/pid [0-9]+/pid N/' \
	    -e 's/tid [0-9]+,/tid N,/' \
	    -e 's/^-[0-9.]* (ticks )?cpu [0-9]+ tid [0-9]+ /- /' \
	    -e 's/ft:fatal_signal_target:fire:last //; s/ arg1=.*//' got
}
more='-x nunits=4 -x unitsize=4k'
start 0x3b fire=1 unit=1 fire=2 end=7 unit=2 fire=60 end=1 unit=3 fire=9 \
    end=0 unit=4 fire=1 unit=5 fire=2
{
	echo 'tbuf: last 68 of 68 records of fatal_signal_target, pid N'
	echo 'tbuf: running for S: job 4, tid N, 1 record'
	echo 'tbuf: running for S: job 5, tid N, 2 records'
	printf '%s\n' '- i=1' '- unit 1 i=1' '- unit 1 i=2' \
	    '- a work unit: id=1 outcome=7 records=2'
	seq 60 | sed 's/^/- unit 2 i=/'
	printf '%s\n' '- a work unit: id=2 outcome=1 records=60' \
	    '- unit 4 i=1' '- unit 5 i=1' '- unit 5 i=2'
} >expected
debug -p "$pid" -- 'tbuf bt 99'
same 'work units' '' "$(units | diff expected -)"
finish
more='-x nunits=1 -x unitsize=1k -x unitpolicy=ring'
start 0x3b unit=6 fire=100
debug -p "$pid" -- 'tbuf bt 99'
units | sed -n 's/^- unit 6 i=//p' >found
same 'a table that has wrapped' "$(seq $((101 - $(wc -l <found))) 100)" \
    "$(cat found)"
finish
more=

# The core has no shared memory, and there is no file.
start 0x33 fire=9
if command -v gcore >/dev/null && gcore -o h "$pid" >/dev/null 2>&1 </dev/null
then
	rm "$file"
	debug "$target" "h.$pid" -- 'tbuf bt'
	same 'no memory' "no memory of $file here: coredump_filter has no bit 3,\
 or no session is kept (tbufctl --core looks for the file)" \
	    "$(grep '^no memory' all)"
fi
finish

debug /bin/true -- 'tbuf bt'
same 'no process' 1 "$(grep -c '^no process, and no core' all)"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
