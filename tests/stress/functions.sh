#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Entries and returns of functions, as pid counts them, and as gdb does: by a
# breakpoint at each entry and at each return that objdump shows.  Functions of
# large programs return as often as they are entered, but for those on stacks
# where the program exits, forks, or leaves them.  `make check-slow` runs it;
# WANTED='nginx node' tries these of the large ones.

set -u
. "${top_srcdir:?}/tests/lib/pid.sh"
LC_ALL=C
export LC_ALL

. "$top/tests/stress/programs.sh"
as='' out=$PWD

# probes_of GLOB ...: $all counts these functions of the program.
probes_of() {
	all=
	for glob; do
		all="$all, pid\$target:a.out:$glob:entry"
		all="$all, pid\$target:a.out:$glob:return"
	done
	all="${all#, } { @[probefunc, probename] = count(); }"
}
probes_of ''

# Stacks where functions are left without a return, or returned from twice, or
# where other threads are at the end.
where_left='pid$target:libc:exit:entry
{
	self->exits = 1;
	@left["exit", ustack(100)] = count();
}
pid$target:libc:_exit:entry
/!self->exits/
{
	@left["exit", ustack(100)] = count();
}
pid$target:libc:fork:entry
{
	@left["fork", ustack(100)] = count();
}
pid$target:libc:_longjmp_unwind:entry,
pid$target:libc:execve:entry,
pid$target:libgcc_s:_Unwind_RaiseException:entry
{
	@left["jump", ustack(100)] = count();
}
pid$target:libc:pthread_create:entry
{
	@begun["thread", uaddr(arg2)] = count();
}
pid$target:libc:*sem_wait*:entry,
pid$target:libc:*cond_wait*:entry
{
	@waits["wait", ustack(100)] = sum(1);
}
pid$target:libc:*sem_wait*:return,
pid$target:libc:*cond_wait*:return
{
	@waits["wait", ustack(100)] = sum(-1);
}'

# counted COMMAND [OPTION ...]: counts by pid, in `counts' as NAME entry|return
# N.  `armed' has what is armed.
counted() {
	command=$1
	shift
	rm -f "$out/list" "$out/traced"
	$as env TBUF_PID_LIST="$out/list" "$TBUFCTL" -q -o "$out/traced" \
	    -x aggsize=64m "$@" -n "$all" -c "$command" >output 2>err </dev/null
	awk '$2 ~ /^(entry|return)$/ { print }' "$out/traced" | sort >counts
	sed -n 's/^pid[0-9]*:a\.out:\(.*\):\([a-z]*\): armed$/\1 \2/p' \
	    "$out/list" | sort -u >armed
	sed -n 's/^pid[0-9]*:a\.out:\(.*\):\([a-z]*\): not armed.*/\1 \2/p' \
	    "$out/list" | sort -u >unarmed
}

# left COMMAND: as counted, and `frames' has the functions on those stacks, and
# those that begin threads: exit, fork, jump, wait or thread, MODULE:OFFSET,
# COUNT.
left() {
	counted "$1" --follow -Z -x pid=loops -x ustackunwind -x noresolve \
	    -x bufsize=16m -n "$where_left"
	awk '$1 == "thread" { print $1, $2, $3 }
	NF != 1 { next }
	$1 ~ /^(exit|fork|jump|wait)$/ { kind = $1; n = 0; next }
	/:0x/ { frames[++n] = $1; next }
	$1 ~ /^-?[0-9]+$/ {
		for (i = 1; i <= n; i++)
			print kind, frames[i], $1
		n = 0
	}' "$out/traced" >frames
}

# names_of PROGRAM: `parts' and `names' for functions.awk, of what is armed.
names_of() {
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
}

# breakpoints PROGRAM: `points' has entries and returns, by objdump, of those
# functions that are armed.  gdb loads a program that may be anywhere at this
# address.
breakpoints() {
	base=0
	readelf -h "$1" | grep -q 'Type: *DYN' && base=93824992231424
	names_of "$1"
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

# compare WHAT: counts of gdb and of pid, of all names that pid has armed and
# that objdump explains.
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
	# Another function of the name is not armed, or has unknown returns.
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

# balanced WHAT: functions whose entry and returns are armed return as often
# as they are entered, but for those on stacks where they are left.
balanced() {
	program=$(readlink -f "$(command -v "$program")")
	names_of "$program"
	sed -n "s/^\([a-z]* \)${program##*/}:0x/\1/p" frames >offsets
	# An address is an offset in the file and the difference of these in the
	# segments of code.
	moved=$(readelf -lW "$program" | awk '$1 == "LOAD" && $7 == "R" &&
	    $8 == "E" { print $3 " - " $2; exit }')
	objdump -d --no-show-raw-insn "$program" | awk -f \
	    "$top/tests/stress/functions.awk" MOVED="$(($moved))" PART=parts \
	    parts PART=names names PART=code - PART=frames offsets >stacks
	# A jump leaves some functions of its stack, and a thread may last.
	awk 'FNR == 1 { file++ }
	file == 1 { armed[$1] += $2 == "entry" ? 1 : 2; next }
	file == 2 { n[$1 " " $2] += $3; next }
	{ on[$2 " " $1] = $3 }
	END {
		for (name in armed) {
			entries = n[name " entry"] + 0
			less = entries - n[name " return"]
			if (armed[name] != 3 || entries + less == 0)
				continue
			tried++
			most = least = on[name " exit"] - on[name " fork"]
			most += on[name " jump"]
			most += on[name " thread"] + on[name " wait"]
			equal += less == 0
			if (least <= less && less <= most)
				continue
			differ++
			print name, entries, less, least, most >"differ"
		}
		print tried + 0, equal + 0, differ + 0
	}' armed counts stacks >compared
	read -r tried equal differ <compared
	echo "$1: $(grep -c ' entry$' armed) entries armed, $tried functions" \
	    "reached: $equal return as often as they are entered, $differ" \
	    "others are not on stacks where they are left"
	[ ! -e differ ] || head -n 20 differ
	rm -f differ
	expect "$1: nothing is lost" "$(grep 'drops\|left out' err)" ''
	expect "$1: entries and returns" \
	    "$differ $([ "$tried" -gt 50 ] && echo many)" '0 many'
}

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
exec env -i PATH=/usr/bin:/bin LD_LIBRARY_PATH=$LD_LIBRARY_PATH \\
    TBUF_DIR=$TBUF_DIR TBUF_PID_LIST=$PWD/list \\
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

# as_many PROGRAM [GLOB ...]: of these functions, or of all.
as_many() {
	what=$1
	shift
	case " ${WANTED-$what} " in
	*" $what "*) ;;
	*) return ;;
	esac
	probes_of "${@-}"
	"run_$what" left && balanced "$what"
}
as_many bash
as_many python
as_many redis
as_many nginx
# A table of probes has room for half of the functions of node.
as_many node '[A-Z]*' 'uv_*' 'deflate*' 'inflate*' '_ZN*4node*'
as_many node '_ZN2v88internal*'
as_many postgres
report
