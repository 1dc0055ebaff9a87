#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tbufctl --core: a core of a target holds the same records as its control file.
# Cores are made by the kernel and by gcore(1), truncated, compressed, or
# without shared memory; files that are not cores are tried, too.

set -u
. "${top_srcdir:?}/tests/lib/scratch.sh"
. "$top_srcdir/tests/lib/same.sh"
[ -z "${SANITIZER-}" ] || {
	echo 'a sanitizer has signals and cores of its own'
	exit 77
}
: "${TBUFCTL:?}" "${TBUF_TARGET:?}"
cores=0
export TBUF_DIR="$SCRATCH/dir"
unset TBUF_OPTIONS TBUF_WINDOW TBUF_DISABLE
mkdir -m 700 "$TBUF_DIR"
cd "$SCRATCH" || exit 1

more='' orders='enabled fire=1000'
# crash NAME FILTER: starts a traced target in directory NAME, with FILTER as
# its coredump_filter, kills its consumer, and ends it by SIGSEGV.  Sets $target
# and $file; leaves gcore's core `g` and the kernel's `core`, if there are any.
crash()
{
	mkdir "$1" && cd "$1" || exit 1
	mkfifo in out
	# shellcheck disable=SC2016,SC2086 # the inner shell's; no blanks
	"$TBUFCTL" -q $more -x bufpolicy=ring -b 64k -n count -c "sh -c '
	    echo $2 >/proc/self/coredump_filter 2>/dev/null
	    ulimit -c unlimited 2>/dev/null
	    exec \"\$0\" \"\$@\"' '$TBUF_TARGET' $orders say=fired wait
	    kill=11" <in >out 2>&1 &
	ctl=$!
	exec 5>in 6<out
	read -r heard <&6
	same "$1: the target" fired "$heard"
	file=$(echo "$TBUF_DIR"/tbuf.*)
	target=$(basename "$file" | cut -d . -f 2)
	kill -KILL $ctl
	wait $ctl 2>/dev/null
	if command -v gcore >/dev/null &&
	    gcore -o g "$target" </dev/null >gcore.out 2>&1; then
		mv "g.$target" g
	fi
	echo >&5
	exec 5>&-
	# The pipe is closed when the target has ended and its core is written.
	cat <&6 >/dev/null
	exec 6<&-
	case $(cat /proc/sys/kernel/core_pattern) in
	'|'* | */*) ;;
	*) for core in core* *core; do
		[ ! -s "$core" ] || mv "$core" kernel
	done ;;
	esac
	for core in g kernel; do
		[ ! -s "$core" ] || cores=$((cores + 1))
	done
}

# core FILE ...: puts the output and the total into `got`.
core()
{
	"$TBUFCTL" -q --core "$@" >got 2>err
	status=$?
	[ $status -eq 0 ] || return $status
	sed -n 's/^tbufctl: total: //p' err >>got
}

# refused WHAT LINE FILE [HELP]: expects an error of one line, and a second one.
refused()
{
	"$TBUFCTL" --core "$3" >got 2>&1
	same "$1: the status" 1 $?
	same "$1" "$(echo "tbufctl: failed to read $3: $2"
	    [ $# -lt 4 ] || echo "tbufctl: $4")" "$(cat got)"
}

filter='bit 3 of coredump_filter adds the buffers to a core: see core(5)'

# whole CORE: expects the control file's records with every filter and format.
whole()
{
	core "$1"
	same "$1: records" '' "$(diff expected got | head)"
	core "$1" -n nosuch -Z
	same "$1: another probe" '0 records, 0 overwritten, 0 drops' \
	    "$(sed 's/[1-9][0-9]* overwritten/0 overwritten/' got)"
	"$TBUFCTL" --core "$1" --format=json -n count >got 2>err
	same "$1: JSON" 1000 "$(grep -c '"type":"record"' got)"
	"$TBUFCTL" -q --core "$1" -n 'BEGIN { start = timestamp; bad = n = 0; }
	    count { bad += (timestamp - start) / 200000 != n; }
	    tick-200us { n++; } END { printf("%d bad", bad); }' >got 2>err
	same "$1: ticks" '0 bad' "$(cat got)"
	"$TBUFCTL" -q -l --core "$1" >got 2>&1
	same "$1: the list" 1 "$(grep -c 'fire *count' got)"
	same "$1: address space behind the file is not in it" 1 \
	    $(($(wc -c <"$1") < 1 << 30))
}

# cut CORE: cuts a little off, beyond the buffers, then more.  A core is read as
# far as it goes, and only whole records of those in it are printed.
cut_off()
{
	size=$(wc -c <"$1")
	head -c $((size - 4096)) "$1" >"cut"
	"$TBUFCTL" --core cut >got 2>err
	same "$1, a page less: the line" \
	    'tbufctl: cut is truncated: read as far as it goes' \
	    "$(head -n 1 err)"
	core cut
	same "$1, a page less: records" '' "$(diff expected got | head)"
	for part in 1 2 3 5 7 9 11 12 13 14 15; do
		head -c $((size * part / 16)) "$1" >"cut"
		core cut
		same "$1, $part/16: a status" 1 $(($? < 2))
		same "$1, $part/16: a record that was none" '' \
		    "$(grep number= got | grep -v -x -F -f expected)"
	done
	# Amid a record, wherever they begin.
	for by in 8 16 24 32; do
		head -c $((size * 11 / 16 + by)) "$1" >"cut"
		core cut
		same "$1, $by more: a record that was none" '' \
		    "$(grep number= got | grep -v -x -F -f expected)"
	done
}

# lacks TOOL: it is not there, or not the library of its name.
lacks()
{
	! command -v "$1" >/dev/null || ! /sbin/ldconfig -p 2>/dev/null |
	    grep -q "lib$1\.so\.1 "
}

# packed CORE TOOL
packed()
{
	! lacks "$2" || return
	"$2" -q -c "$1" >packed 2>/dev/null
	core packed
	same "$2: records" '' "$(diff expected got | head)"
	head -c $(($(wc -c <packed) / 2)) packed >"cut"
	core cut
	same "$2, cut: a status" 1 $(($? < 2))
	{ head -c 5000 packed; cat packed; } >damaged
	core damaged
	same "$2: damage" "tbufctl: damaged: damaged $2 file, read as far as it\
 goes" "$(grep damaged: err | grep -v 'failed to read')"
	# What lies before an early end, or damage, is read all the same.
	for part in 11 13 15; do
		head -c $(($(wc -c <"$1") * part / 16)) "$1" >"cut"
		"$2" -q -c cut >packed 2>/dev/null
		core cut
		cp got plain
		core packed
		same "$2, an end at $part/16" '' "$(diff plain got | head)"
		echo 'no more of it' >>packed
		core packed
		same "$2, damage at $part/16" '' "$(diff plain got | head)"
	done
}

crash with 0x3b
"$TBUFCTL" -q --read "$file" >expected 2>err
sed -n 's/^tbufctl: total: //p' err >>expected
same 'the control file' 1001 "$(wc -l <expected)"
rm "$file"
for core in g kernel; do
	[ -s "$core" ] || continue
	whole "$core"
	cut_off "$core"
	packed "$core" zstd
	packed "$core" lz4
done
cd ..

# No shared memory in the core: the file itself, if it still is the same one.
crash without 0x33
for core in g kernel; do
	[ -s "$core" ] || continue
	"$TBUFCTL" -q --read "$file" >expected 2>err
	"$TBUFCTL" --core "$core" >got 2>err
	same "$core: names the file" "tbufctl: $core has no session: reading $file" \
	    "$(head -n 1 err)"
	"$TBUFCTL" -q --core "$core" >got 2>err
	same "$core: the file's records" '' "$(diff expected got | head)"
	mv "$file" away
	refused "$core: no file" "it has no session, nor has $file: No such file\
 or directory" "$core" "$filter"
	# Its pid is the same; its random part is not.
	sed "s/tbuf.ctl/tbuf.ctl/" away >"$file"
	printf '\001\002\003\004\005\006\007\010' |
	    dd of="$file" bs=1 seek=88 conv=notrunc 2>/dev/null
	refused "$core: another process's file" "it has no session, nor has $file:\
 it belongs to another process" "$core" "$filter"
	rm "$file"
	mv away "$file"
done
cd ..

# A work unit that hung.  Nothing else keeps its file, when both are dead.
rm -f "$TBUF_DIR"/tbuf.*
more='-x nunits=2 -x unitsize=1k' orders='unit=8 fire=1 end=0 unit=9 fire=2'
crash units 0x3b
"$TBUFCTL" --units >got 2>&1
same 'units of the dead' '9 2' "$(awk 'NR > 1 { print $4, $7 }' got)"
"$TBUFCTL" --units --read "$file" >got 2>&1
same 'units of a file' '9 2' "$(awk 'NR > 1 { print $4, $7 }' got)"
rm -f "$file"
for core in g kernel; do
	[ -s "$core" ] || continue
	"$TBUFCTL" --units --core "$core" >got 2>&1
	same "$core: units in flight" "$target dead work 9 - 2 target" \
	    "$(awk 'NR > 1 { print $1, $2, $3, $4, $6, $7, $8 }' got)"
	"$TBUFCTL" -q --units="$target:9" --core "$core" >got 2>&1
	same "$core: one's records" 'unit=work:9 unfinished number=1 text="a text"
unit=work:9 unfinished number=2 text="a text"' "$(cat got)"
	"$TBUFCTL" --units=stat --core "$core" >got 2>&1
	same "$core: figures" "$target work 1 0" \
	    "$(awk 'NR > 1 { print $1, $2, $3, $4 }' got)"
	# Amid its table, too, no record that was none.
	"$TBUFCTL" -q --core "$core" >expected 2>err
	for at in $(grep -abo 'a text' "$core" | cut -d : -f 1); do
		head -c "$at" "$core" >"cut"
		"$TBUFCTL" -q --core cut >got 2>err
		same "$core, $at bytes: a status" 1 $(($? < 2))
		same "$core, $at bytes: a record that was none" '' \
		    "$(grep number= got | grep -v -x -F -f expected)"
	done
	"$TBUFCTL" --units=1 --core "$core" >got 2>err
	same "$core: another process's" 1 "$(wc -l <got)"
done
cd ..

# A text trace out of a core that is compressed.
mkdir words && cd words || exit 1
{ (
	echo 0x3b >/proc/self/coredump_filter
	# shellcheck disable=SC3045
	ulimit -c unlimited
	TBUF_TEXT='traceFacility=Memory;traceMemoryBufferKbytes=16' \
	    exec "${TBUF_TARGET%/*}/texts" lines=20 severe='the end' kill=11
); } 2>/dev/null
for core in core* *core; do
	[ -s "$core" ] || continue
	"$TBUFCTL" --unwrap "$core" >expected 2>expected.err
	same "$core: its text" 1 "$(grep -c 'the end' expected)"
	for tool in zstd lz4; do
		! lacks $tool || continue
		$tool -q -c "$core" >packed 2>/dev/null
		"$TBUFCTL" --unwrap packed >got 2>err
		same "$tool: its text" '' "$(diff expected got | head)"
		same "$tool: its lines" '' "$(diff expected.err err)"
		{ head -c 5000 packed; cat packed; } >damaged
		"$TBUFCTL" --unwrap damaged >got 2>err
		same "$tool: damage" "tbufctl: damaged: damaged $tool file,\
 read as far as it goes" "$(head -n 1 err)"
	done
	rm -f "$TBUF_DIR"/text.*
	head -c 5000 "$core" >"cut"
	"$TBUFCTL" --unwrap cut >got 2>err
	same "$core: truncated" "1 tbufctl: failed to unwrap cut: it is truncated,\
 and has no text trace" "$? $(cat err)"
	head -c 5000 "$core" | gzip >packed
	"$TBUFCTL" --unwrap packed >got 2>err
	same 'gzip' "1 tbufctl: failed to unwrap packed: this tbufctl cannot\
 unpack gzip (unpack the file first)" "$? $(cat err)"
done
cd ..

# What is no core.
echo text >text
refused 'a text' 'not a core' text
: >empty
refused 'nothing' 'not a core' empty
refused 'a directory' 'Is a directory' .
refused 'no file' 'No such file or directory' nosuch
refused 'a program' 'not a core' "$TBUF_TARGET"
mkfifo pipe
refused 'a pipe' 'it is a pipe' pipe
printf '\177ELF\001\001\001' >elf32
head -c 100 /dev/zero >>elf32
refused '32 bits' 'a core of a 32-bit process' elf32
printf '\375' >xz
printf '7zXZ and more' >>xz
refused 'xz' 'this tbufctl cannot unpack xz (unpack the file first)' xz

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] || exit 1
[ "$cores" -gt 0 ] || {
	echo 'no core: none by the kernel (core_pattern), none by gcore(1)'
	exit 77
}
