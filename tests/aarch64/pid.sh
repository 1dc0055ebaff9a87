#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# pid.sh TBUFCTL PROGRAMS: entries and returns of functions of programs on
# aarch64 that know nothing of tbuf are recorded as often as the programs count
# them, and programs behave as they do without it.  init.sh runs it on an
# emulated machine, like syscall.sh.  trace.sh tests machines that have a
# compiler.

. "${0%/*}/provider.sh"
program=$programs/truth

# The program's own count of a child is in the child.
kind=truth
"$program" 2>"$dir/plain" | sort >"$dir/untraced" || fail "untraced: $?"
for program in "$programs/truth" "$programs/truth_protected"; do
	rm -f "$dir/traced"
	"$tbufctl" -q -o "$dir/traced" -n 'pid$target:a.out::entry,
	    pid$target:a.out::return { @[probefunc, probename] = count(); }' \
	    -c "$program" >"$dir/counted" 2>"$dir/said" ||
	    fail "truth: $(cat "$dir/said")"
	sed -n 's/.*a\.out:\(.*\):\([a-z]*\): not armed: .*/\1 \2/p' \
	    "$dir/said" | sort >"$dir/unarmed"
	[ "$(wc -l <"$dir/unarmed")" -lt 8 ] || fail "$(cat "$dir/said")"
	sort "$dir/counted" | awk '$3 > 0' | grep -v '^child ' >"$dir/known"
	awk -v unarmed="$dir/unarmed" '
	    BEGIN { while ((getline line <unarmed) > 0) no[line] }
	    !(($1 " " $2) in no)' "$dir/known" >"$dir/want"
	awk 'FNR == NR { known[$1]; next } NF == 3 && ($1 in known) {
	    print $1, $2, $3 }' "$dir/known" "$dir/traced" | sort >"$dir/got"
	# While a thread has a lane's lock, fires of others there are drops.
	grep -q 'aggregation drops' "$dir/said" ||
	    cmp "$dir/got" "$dir/want" ||
	    fail "counts: $(cat "$dir/got" "$dir/want" "$dir/said")"
	[ "$(wc -l <"$dir/want")" -gt 20 ] || fail 'few functions'
	grep -qx "$(cat "$dir/plain")" "$dir/said" || fail 'another output'
done

program=$programs/truth
expect_text() {
	what=$1 found=$("$tbufctl" -q -n "$2" -c "$program" 2>"$dir/said" |
	    grep -v ' entry \| return ' | tr -d ' \n' | sed 's/+0x[0-9a-f]*/ /g')
	# shellcheck disable=SC2254 # a pattern
	case $found in
	$3) ;;
	*) fail "$what: $found: $(cat "$dir/said")" ;;
	esac
}
expect_text arguments 'pid$target:a.out:many:entry
    { printf("%d,%d,%d,%d,%d,%d,%d,%d,%d,%d.\n", arg0, arg1, arg2, arg3, arg4,
    arg5, arg6, arg7, arg8, arg9); }' '1,2,3,4,5,6,7,8,9,10.'
expect_text 'named arguments' 'pid$target:a.out:many:entry
    /a == 1 && args[1] == 2 && h == 8 && i == 9 && j == 10/ { trace(f); }' 6
expect_text doubles 'pid$target:a.out:real:entry
    /n++ == 0/ { printf("%.1f,%g.\n", args[0], b); }' '0.0,2.'
expect_text 'a returned double' 'pid$target:a.out:real:return
    /n++ == 0/ { printf("%g\n", args[1]); }' 0.5
expect_text 'a returned value' 'pid$target:a.out:many:return
    { trace(arg1); }' $((1 + 4 + 3 + 4 + 5 + 6 + 21 + 8 + 9 + 50))
expect_text 'the offset of a return' 'pid$target:a.out:many:return
    /arg0 > 0 && arg0 < 200/ { trace(1); }' 1
expect_text 'a stack from an entry' 'pid$target:a.out:recursive:entry
    /arg0 == 15/ { ustack(); }' 'truth`recursivetruth`main *'
expect_text 'a stack from a return' 'pid$target:a.out:many:return
    { ustack(); }' 'truth`many truth`main *'
expect_text 'the caller' 'pid$target:a.out:many:entry
    { @[usym(ucaller)] = count(); }' 'truth`main1'

# All of the C library and the dynamic linker is armed.
program=$programs/everything
"$program" >"$dir/plain" 2>"$dir/number"
for options in '' '-x bufpolicy=ring --follow'; do
	rm -f "$dir/records"
	# shellcheck disable=SC2086 # a list
	"$tbufctl" $options -o "$dir/records" -n 'pid$target:::entry,
	    pid$target:::return { @[probefunc, probename] = count(); }' \
	    -c "$program" >"$dir/armed" 2>"$dir/said"
	cmp "$dir/plain" "$dir/armed" || fail "everything: another output"
	grep -q 'exited with status 7' "$dir/said" ||
	    fail "everything: $(cat "$dir/said")"
done
[ "$(wc -l <"$dir/records")" -gt 300 ] || fail 'few functions'
"$tbufctl" -l --object="$program" -n 'pid:::' >"$dir/list" 2>"$dir/said" ||
    fail "list: $(cat "$dir/said")"
grep -q ' main  *entry$' "$dir/list" || fail "list: $(cat "$dir/list")"

finish pid
