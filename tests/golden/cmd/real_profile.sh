# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"
TBUF_TARGET=$(dirname "$TBUF_TARGET")/stacker

# sampled ORDERS OPTION ...: runs tbufctl with a target that obeys.
sampled()
{
	orders=$1
	shift
	# shellcheck disable=SC2086 # a list
	start 3 4 $orders
	tell 3
	"$TBUFCTL" -q "$@" -p "$target"
	echo "= $?"
	tell 3
	wait "$target"
	rm -f in3 out4
}

# commanded ORDERS OPTION ...: runs tbufctl with a command; its input ends last.
commanded()
{
	orders=$1
	shift
	mkfifo in
	exec 5<>in
	"$TBUFCTL" -q "$@" -c "$TBUF_TARGET $orders" <in 5>&- 2>&1
	echo "= $?"
	exec 5>&-
	rm -f in
}

# Prints the most frequent line: a sample may be taken at a function's start.
mostly()
{
	sed 's/pid [0-9]*/pid PID/' >lines
	grep -v -e '^[0-9]' -e '^$' lines
	grep '^[0-9]' lines | sort | uniq -c | sort -rn | sed 's/^ *[0-9]* //;q'
}

# Removes counts, because a function's addresses are different keys.
each()
{
	sed -E '/^=/!s/ +[0-9]+$//; s/^ +//' | sed '/^$/d' | sort -u
}

main='stacker`main;stacker`obey;stacker`spin;stacker`busy'
end='profile-997 /++n == 30/ { exit(7); }'
words='printf("%d %d %s %d %d %s %d\n", pid == $target, tid == pid, execname,
    arg0, arg1 != 0 && uregs[R_PC] == arg1, probename, ustackdepth > 3);'

echo 'a thread that runs'
sampled spin -n "profile-997 { $words } $end" | mostly
sampled spin --format=folded -n "profile-997 { @[ustack()] = count(); } $end" |
    grep -o "$main" | each
# All addresses of a function, or of a file, are one key.
sampled spin -n "profile-997 { @[usym(arg1)] = count(); } $end" |
    grep -c 'stacker`busy'
sampled spin -n "profile-997 { @[umod(arg1)] = quantize(1); } $end" |
    grep -c 'stacker'
sampled spin -n "profile-997 { @[ufunc(arg1)] = count(); @s[ufunc(arg1)] =
    sum(2); } END { trunc(@, 1); trunc(@s, 1); printa(\"%A %@u %@u\n\", @, @s); }
    $end" | awk 'NF == 3 { print $1, $3 == 2 * $2 }'
sampled spin --format=json -n "profile-997 { trace(1); } $end" |
    sed -E 's/"(pid|tid)":[1-9][0-9]*/"\1":N/g
	s/"(cpu|id|time|wall|epid)":[0-9]+/"\1":M/g' | each
echo 'a thread that starts while others are sampled'
sampled 'enabled worker' -n 'ready { } profile-997 /tid != pid/ {
	printf("%d %s\n", pid == $target, execname); }
    profile-997 /tid != pid && ++n == 30/ { exit(7); }' | grep -v ready | each
echo 'one CPU'
cpu=$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')
taskset -cp "$cpu" $$ >/dev/null
sampled spin -x cpu="$cpu" -n "profile-997 { @[cpu == $cpu] = count(); } $end" |
    each
# A child may be sampled before it is a target, which is reported.
echo 'a command, a child that is followed, and one that is not'
commanded spin -n "profile-997 { $words } $end" | mostly
commanded 'fork spin' --follow -n '
    profile-997 { @[pid == $target, execname, umod(arg1)] = count(); }
    profile-997 /pid != $target && ++n == 30/ { exit(7); }' | each |
    grep -v 'of processes that are not traced' | mostly
commanded 'fork spin' -n "profile-997 { @[pid == \$target] = count(); } $end" |
    each | mostly
# The command prints nothing, and has ended when its addresses get names.
echo 'a command without libtbuf'
"$TBUFCTL" -q -n 'profile-997 { @[execname, umod(arg1)] = count(); }' -c \
    "sh -c 'i=0; while [ \$i -lt 300000 ]; do i=\$((i + 1)); done'" |
    awk 'END { print $1, ($2 !~ /^0x/), ($3 > 0) }'
echo 'a process without libtbuf'
sh -c 'while :; do :; done' &
loop=$!
"$TBUFCTL" -q -n "profile-997 { @[execname, pid == $loop, umod(arg1)] = count();
    } $end" -p "$loop" | awk 'END { print $1, $2, ($3 !~ /^0x/), ($4 > 0) }'
"$TBUFCTL" -n 'profile-997 { exit(3); }' -p "$loop" 2>&1 >/dev/null |
    sed 's/pid [0-9]*/pid PID/; s/matched .*/matched/'
"$TBUFCTL" -n 'app:::step { }' -p "$loop" 2>&1 | sed 's/pid [0-9]*/pid PID/'
"$TBUFCTL" -n 'app:::step' -n 'profile-997 { }' -p "$loop" 2>&1 |
    sed 's/pid [0-9]*/pid PID/'
kill "$loop"
wait "$loop" 2>/dev/null
echo 'code without frame pointers'
TBUF_TARGET=$(dirname "$TBUF_TARGET")/frameless
sampled spin --format=folded -x ustackunwind -n "profile-997 {
    @[ustack()] = count(); @[ustack(5)] = count(); } $end" |
    sed -n 's/.*frameless`main;/frameless`main;/p' | each
sampled spin -x ustackunwind -n "profile-997 { @[ustackdepth > 4] = count(); }
    $end" | each | mostly
sampled 'enabled worker' -x ustackunwind -n 'ready { } profile-997 /tid != pid/ {
	@[ustackdepth > 2, ufunc(ucaller)] = count(); }
    profile-997 /tid != pid && ++n == 30/ { exit(7); }' | grep spin | each
# Another process unwinds, and may end.
cat >end <<'END'
for other in $(pgrep -P $PPID); do
	[ $other = $$ ] || kill -SEGV $other
done
END
sampled spin -w -x ustackunwind -x switchrate=100hz -n '
    profile-997 { @[ustackdepth > 0] = count(); }
    profile-997 /++n == 5/ { system("exec sh ./end"); }
    profile-997 /n == 600/ { exit(7); }' 2>&1 |
    grep -v 'drops\{0,1\} on CPU' | each
