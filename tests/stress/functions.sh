#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Entries and returns of functions, as pid counts them, and as gdb does: by a
# breakpoint at each entry and at each return that objdump shows.  Of large
# programs as many returns as entries are counted.  `make check-slow` runs it.

set -u
. "${top_srcdir:?}/tests/lib/pid.sh"
LC_ALL=C
export LC_ALL

all='pid$target:a.out::entry, pid$target:a.out::return
    { @[probefunc, probename] = count(); }'

# has PROGRAM: false, with a line, if it is not installed.
has() {
	command -v "$1" >/dev/null || {
		echo "no $1: not tried"
		return 1
	}
}

# counted COMMAND: counts by pid, in `counts' as NAME entry|return N.  `list' has
# what is armed.
counted() {
	rm -f list traced
	TBUF_PID_LIST=$PWD/list "$TBUFCTL" -q -o traced -x aggsize=64m \
	    -n "$all" -c "$1" >output 2>err </dev/null
	awk 'NF == 3 { print }' traced | sort >counts
	sed -n 's/^pid[0-9]*:a\.out:\(.*\):\([a-z]*\): armed$/\1 \2/p' list |
	    sort >armed
	sed -n 's/^pid[0-9]*:a\.out:\(.*\):\([a-z]*\): not armed.*/\1 \2/p' \
	    list | sort >unarmed
}

# breakpoints PROGRAM: `points' has entries and returns, by objdump, of those
# functions that are armed.  gdb loads a program that may be anywhere at this
# address.
breakpoints() {
	base=0
	readelf -h "$1" | grep -q 'Type: *DYN' && base=93824992231424
	readelf -wF "$1" 2>/dev/null | sed -n \
	    's/.* FDE .*pc=\([0-9a-f]*\)\.\.\([0-9a-f]*\).*/\1 \2/p' |
	    sort -u >parts
	{ nm --defined-only "$1" 2>/dev/null
	nm -D --defined-only "$1" 2>/dev/null; } | sed -n \
	    's/^\([0-9a-f]*\) [tTwWiu] \([^@]*\).*/\1 \2/p' | sort -u >symbols
	# Of several names, the one that pid has taken.
	low=$(readelf -lW "$1" | awk '$1 == "LOAD" { print $3; exit }')
	awk 'FNR == NR { armed[$1] = 1; next }
	    $2 in armed { print; next }' armed symbols >names
	cut -d ' ' -f 1 armed | sed -n 's/^+\([0-9a-f]*\)$/\1/p' | sort -u |
	    awk -v low="${low#0x}" 'low ~ /^0*$/ {
	    printf("%s +%s\n", $1, $1) }' >>names
	objdump -d --no-show-raw-insn "$1" | awk -f \
	    "$top/tests/stress/functions.awk" PART=parts parts PART=names \
	    names PART=code - >points
	awk -v base="$base" 'BEGIN {
		print "set pagination off\nset confirm off"
		print "set breakpoint always-inserted on"
		print "set print thread-events off"
		print "handle SIGALRM SIGUSR1 nostop noprint pass"
		print "set startup-with-shell off"
		print "unset environment LINES\nunset environment COLUMNS"
		print "starti"
	}
	$1 != "-" {
		printf("break *(%.0f + 0x%s)\nignore $bpnum 1000000000\n",
		    base, $1)
	}
	END { print "continue\ninfo breakpoints" }' points >script
}

# compare WHAT: counts of gdb and of pid, of all names that pid has armed and that
# objdump explains.
compare() {
	awk '$1 != "-"' points >sites
	awk 'FNR == 1 { file++ }
	file == 1 { sites[++n] = $2 " " $3; next }
	$1 ~ /^[0-9]+$/ && $2 == "breakpoint" { i = $1 }
	/already hit/ { hits[sites[i]] += $4 }
	END { for (i = 1; i <= n; i++)
		if (!(sites[i] in seen)) {
			seen[sites[i]] = 1
			print sites[i], hits[sites[i]] + 0
		}
	}' sites gdb.out | sort >known
	# Names with another function that is not armed, or has no known returns.
	awk '$1 == "-" { print $2, $3 }' points | sort -u - unarmed >unknown
	awk 'FNR == 1 { file++ }
	file == 1 { no[$1 " " $2]; next }
	file == 2 { armed[$1 " " $2]; next }
	file == 3 { pid[$1 " " $2] = $3; next }
	{
		key = $1 " " $2
		if (key in no || !(key in armed))
			next
		n++
		hit += $3 > 0
		if (pid[key] + 0 != $3)
			print key, "gdb", $3, "pid", pid[key] + 0 >"differ"
	}
	END { print n + 0, hit + 0 }' unknown armed counts known >compared
	read -r tried hit <compared
	differ=$(if [ -e differ ]; then wc -l <differ; else echo 0; fi)
	echo "$1: $tried entries and returns of functions, $hit of them" \
	    "reached: $differ differ"
	[ ! -e differ ] || head -n 20 differ
	expect "$1: differ" "$differ" 0
	rm -f differ
}

# balanced WHAT PERCENT: functions whose entry and returns are armed return as
# often as they are entered, but for those that do not return.
balanced() {
	awk 'FNR == NR { armed[$1] += $2 == "entry" ? 1 : 2; next }
	armed[$1] == 3 { n[$1 " " $2] = $3; names[$1] }
	END {
		for (name in names) {
			tried++
			equal += n[name " entry"] == n[name " return"]
		}
		print tried + 0, equal + 0
	}' armed counts >compared
	read -r tried equal <compared
	echo "$1: $(grep -c ' entry$' armed) entries armed, $tried functions" \
	    "reached: $equal return as often as they are entered"
	expect "$1: entries and returns" "$(awk -v tried="$tried" \
	    -v equal="$equal" -v least="$2" 'BEGIN {
	    print (tried > 50 && 100 * equal >= least * tried) }')" 1
}

# How often bash waits for a child depends on when that ends.
cat >alone.sh <<'END'
f() { [ "$1" -le 0 ] && echo done || f $(($1 - 1)); }
f 5
for i in 1 2 3 4 5; do a[i]=$((i * i)); done; echo "${a[@]}"
case abc in a*) echo yes;; esac
trap 'echo usr1' USR1; kill -USR1 $$
[[ abc =~ b(c) ]] && echo "${BASH_REMATCH[1]}"
printf -v q %q 'a b'; echo "$q"; declare -A m=([k]=v); echo "${m[k]}"
END
{ cat alone.sh
cat <<'END'
x=$(echo c b a); echo "$x"; (exit 3); echo $?
exit 5
END
} >script.sh

# ------------------------------------------------------------ breakpoints

if has gdb && has objdump; then
	for flags in '-O2 -std=c++20' '-O0 -std=c++20' '-O2 -fno-pie -no-pie'; do
		# shellcheck disable=SC2086
		g++ -w $flags -o truth "$top/tests/providers/pid/truth.cc" \
		    -lpthread || exit 1
		counted './truth quiet'
		breakpoints truth
		gdb -nx -batch -x script --args ./truth quiet >gdb.out 2>&1
		# gdb takes its breakpoints away while a child of vfork() runs.
		sed -i '/^after_vfork /d' armed
		compare "truth $flags"
	done
	# Both have as many variables, which bash reads by its functions.
	bash=$(command -v bash)
	cat >clean <<END
#!/bin/sh
exec env -i PATH=/usr/bin:/bin TBUF_DIR=$TBUF_DIR TBUF_PID_LIST=$PWD/list \\
    TBUF_PROVIDERS=$TBUF_PROVIDERS $TBUFCTL "\$@"
END
	chmod +x clean
	./clean -q -Z -n 'pid$target:a.out:absent:entry,
	    pid$target:a.out:absent:return { exit(0); }' -c env 2>err |
	    sed -n 's/^TBUF_/XBUF_/; s/^LD_/XD_/; /=/p' >variables
	(
		TBUFCTL=./clean
		counted "$bash alone.sh"
	)
	breakpoints "$bash"
	{ echo 'unset environment'
	sed 's/^/set environment /; s/=/ /' variables
	cat script; } >commands
	gdb -nx -batch -x commands --args "$bash" alone.sh >gdb.out 2>&1
	compare bash
fi

# ------------------------------------------------------------ as many

counted 'bash script.sh'
balanced bash 95
for python in /usr/bin/python3 python3; do
	has $python || continue
	cat >script.py <<'END'
import json, re, collections
def f(n):
    if n == 0:
        raise ValueError("zero")
    return f(n - 1) if n > 1 else n
d = {str(i): [i, i * 1.5, {"k": "v" * (i % 7)}] for i in range(200)}
assert json.loads(json.dumps(d)) == d
print(len(re.findall(r"[a-z]+(\d+)", " ".join("ab%d" % i for i in range(99)))))
print(collections.Counter("mississippi").most_common(2), f(20))
try:
    f(0)
except ValueError as e:
    print(e)
print(sum(x for x in (i * i for i in range(1000)) if x % 3), sorted("hello"))
END
	counted "$python script.py"
	cp output armed.output
	expect "$python: its output" "$(cat armed.output)" \
	    "$($python script.py)"
	balanced "$python" 97
	break
done
# waits FILE: until a server has made its socket.
waits() {
	until [ -S "$1" ]; do
		kill -0 $$ || return
	done
}
if has redis-server && has redis-cli; then
	(
		waits redis.sock
		for i in 1 2 3 4 5 6 7 8 9; do
			echo "set k$i v$i"
			echo "get k$i"
			echo "lpush l $i"
			echo "zadd z $i m$i"
			echo "incr n"
		done | redis-cli -s redis.sock >/dev/null
		redis-cli -s redis.sock shutdown nosave
	) &
	counted "redis-server --port 0 --unixsocket $PWD/redis.sock --save ''"
	balanced redis-server 95
fi
report
