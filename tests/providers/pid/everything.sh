#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Programs do as before while all of their objects are armed and fire, with the
# C library and the dynamic linker, and no event is lost or damaged.

set -u
. "${top_srcdir:?}/tests/lib/pid.sh"

$CC -std=gnu11 -w -O2 -o everything "$top/tests/providers/pid/everything.c" \
    -lpthread || exit 1
all='pid$target:::entry, pid$target:::return'

# Records, also of a thread that begins, and of a spawned child.
./everything >plain 2>number
expect 'the program itself' "$? $(wc -l <plain)" '7 18'
record() {
	what=$1
	shift
	"$TBUFCTL" "$@" -o records -n "$all" -c ./everything >armed 2>err
	expect "output: $what" "$(cat armed)" "$(cat plain)"
	expect "status: $what" "$(grep -c 'exited with status 7' err)" 1
	expect "records: $what" "$(grep damaged err)" ''
	expect "calls: $what" "$(grep -x '[0-9]*' err)" "$(cat number)"
	rm -f records
}
record 'filled'
record 'ring' -x bufpolicy=ring
record 'ring, followed' -x bufpolicy=ring --follow
record 'ring of threads' -x bufpolicy=ring -x bufscope=thread

# sum FILE WORDS: the sum of the numbers in messages.
sum() {
	sed -n "s/^tbufctl: \([0-9]*\) $2 .*/\1/p" "$1" |
	    awk '{ n += $1 } END { print n + 0 }'
}
"$TBUFCTL" -q -x bufsize=64k -o records \
    -n "$all /probefunc == \"malloc\"/ { printf(\"record\\n\"); }" \
    -n "$all /probefunc == \"malloc\"/ { @ = count(); }" -c ./everything \
    >armed 2>err
expect 'fires are records or drops' \
    "$(($(grep -c record records) + $(sum err drops)))" \
    "$(($(awk 'NF == 1 && $1 + 0 > 0' records) + $(sum err \
    'aggregation drops')))"
expect 'there are drops' "$([ "$(sum err drops)" -gt 0 ] && echo some)" some

# Counts: the program's own ones, and of each function its entries and returns.
rm -f counts
"$TBUFCTL" -q -o counts \
    -n "$all { @[probefunc, probename] = count(); }" -c ./everything >armed \
    2>err
expect 'output: counted' "$(cat armed)" "$(cat plain)"
count() {
	awk -v f="$1" -v n="$2" '$1 == f && $2 == n { print $3 }' counts
}
# While a thread has a lane's lock, fires of others there are drops, and told; a
# thread that begins takes a lock before it has rseq.
exact=1
[ "$(sum err 'aggregation drops')" -eq 0 ] || exact=
[ -z "$exact" ] ||
    expect 'the program counts as much' "$(count l64a entry)" "$(cat number)"
for function in l64a malloc calloc strtod regcomp qsort dlopen dlclose \
    posix_spawnp pthread_create; do
	[ -z "$exact" ] || expect "entries and returns: $function" "$(count $function return)" \
	    "$(count $function entry)"
done
expect 'many functions' "$([ "$(wc -l <counts)" -gt 300 ] && echo many)" many
expect 'nothing of the provider' "$(count tbuf_probe_register entry)" ''
rm -f counts
"$TBUFCTL" -q -o counts -n "$all { @[probefunc] = count(); }" -c true 2>err
expect 'no call of the provider is counted' \
    "$(awk '$2 > 2000' counts)" ''

# Programs.
cat >script.sh <<'END'
x=$(echo hello | tr a-z A-Z); echo "$x"
trap 'echo usr1' USR1; kill -USR1 $$
for i in 1 2 3; do (exit $i) & wait $!; echo $?; done
exec sh -c 'exit 5'
END
cat >script.py <<'END'
import json, re, subprocess, threading
sums = []
def work(n):
    sums.append(sum(i * i for i in range(n)))
threads = [threading.Thread(target=work, args=(i * 10,)) for i in range(9)]
[t.start() for t in threads]
[t.join() for t in threads]
print(sorted(sums), json.dumps({"a": [1, 2.5]}), re.findall(r"\d+", "a1b2"))
print(subprocess.run(["echo", "child"], capture_output=True).stdout)
END
printf '%s\n' '#include <stdio.h>' \
    'int main(void) { printf("%%d\n", 3); return (0); }' >hello.c
{
	git init -q repository && cd repository && echo a >a && git add a &&
	    git -c user.name=a -c user.email=a@b commit -q -m 'a commit'
} >/dev/null 2>&1
cd "$SCRATCH" || exit 1
for command in 'bash script.sh' 'python3 script.py' \
    'git -C repository log --format=%s -p' \
    'gcc -O1 -c -o hello.o hello.c' 'md5sum hello.o'; do
	program=${command%% *}
	command -v "$program" >/dev/null || continue
	sh -c "$command" >plain 2>&1
	status=$?
	"$TBUFCTL" --follow -o counts -n "$all { @[probefunc] = count(); }" \
	    -c "$command" >armed 2>err
	expect "$program" "$(cat armed)" "$(cat plain)"
	[ $status -eq 0 ] || expect "status of $program" \
	    "$(grep -c "exited with status $status" err)" 1
done
report
