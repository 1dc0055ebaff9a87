# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# SIGUSR1 prints the contents of the buffers, which are printed at the end, too.
mkfifo out
for policy in ring fill switch; do
	echo "$policy:"
	start 3 4 enabled fire=3 say=fired wait fire=2 say=more wait
	"$TBUFCTL" -x bufpolicy=$policy -x switchrate=10s -x statusrate=10s \
	    -n count -p $target >out 2>&1 &
	ctl=$!
	exec 5<out
	tell 3
	hear 4 fired
	kill -USR1 $ctl
	# These lines are printed before the target goes on.
	lines=6
	[ $policy = switch ] && lines=5
	while [ $lines -gt 0 ]; do
		read -r line <&5
		echo "$line" | normal
		lines=$((lines - 1))
	done
	tell 3
	hear 4 more
	tell 3
	normal <&5
	wait $ctl
	echo "= $?"
	rm in3 out4
done

# Units are shown as of one moment, however long the printing takes: those that
# end later are in flight, and those that begin later are absent, even if they
# use the table of one that had ended.
TBUF_OPTIONS='bufsize=4m,nunits=2,probes=count;done' start 3 4 fire=20000 \
    unit=3 done=3 fire=99 end=1 unit=1 done=1 say=begun wait \
    end=1 unit=2 done=2 unit=4 done=4 say=more wait
tell 3
hear 4 begun
mkfifo held
"$TBUFCTL" -q --snapshot=$target >held 2>err &
ctl=$!
exec 5<held
read -r line <&5
tell 3
hear 4 more
cat <&5 | sed -n '/number=/!p' | normal
wait $ctl
cat err
tell 3
wait $target
rm -f in3 out4 "$TBUF_DIR"/tbuf.*

# A record that is aggregated is counted once.
start 3 4 enabled fire=3 say=fired wait
"$TBUFCTL" -q -x bufpolicy=fill -x ustackunwind -n 'count {
    @[ustack(1)] = count(); printf("n=%d\n", arg0); }' -p $target >out 2>&1 &
ctl=$!
exec 5<out
tell 3
hear 4 fired
kill -USR1 $ctl
line=
until [ "$line" = n=2 ]; do
	read -r line <&5 || break
done
tell 3
awk '/^ +[0-9]+$/ { sum += $1 } END { print sum }' <&5
wait $ctl
