# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# SIGUSR2 opens the file of -o again, so that a log can be renamed.

# show FILE ...: prints the files.
show()
{
	for file; do
		echo "$file:"
		cat $file
	done
}

# rotate ARGUMENT ...: traces a target that fires 3, 2 and 1 times, and renames
# the file after the first and the second time, once as logrotate does with
# `nocreate`, once with `create`.
rotate()
{
	rm -f log log.[12]
	start 3 4 enabled fire=3 say=3 wait fire=2 say=2 wait fire=1
	"$TBUFCTL" -x switchrate=100hz -o log -p $target "$@" &
	run=$!
	tell 3
	hear 4 3
	filled log 3
	mv log log.2
	kill -USR2 $run
	opened $run log
	tell 3
	hear 4 2
	filled log 2
	mv log log.1
	: >log
	kill -USR2 $run
	opened $run log
	tell 3
	wait $run
	echo "= $?"
	rm in3 out4
}

echo "text:"
rotate -q -n count
show log.2 log.1 log
echo "JSON:"
rotate --format=json -n count
show log.2 log.1 log | normal
echo "a script:"
rotate -q -n 'count { printf("%d\n", number); } END { printf("end\n"); }'
show log.2 log.1 log

echo "no directory:"
mkdir logs
start 3 4 enabled fire=3 say=3 wait fire=2
"$TBUFCTL" -q -o logs/log -n count -p $target 2>err &
run=$!
tell 3
hear 4 3
mv logs old
kill -USR2 $run
until grep -q logs err; do
	kill -0 $run || break
done
tell 3
wait $run
echo "= $?"
normal <err
cat old/log
rm in3 out4

echo "a pipe without a reader:"
rm -f log
start 3 4 enabled fire=3 say=3 wait fire=2
"$TBUFCTL" -q -o log -n count -p $target 2>err &
run=$!
tell 3
hear 4 3
mv log log.1
mkfifo log
kill -USR2 $run
until grep -q log: err || grep -q "'log'" err; do
	kill -0 $run || break
done
tell 3
wait $run
echo "= $?"
normal <err
cat log.1
rm in3 out4 log

echo "no file:"
start 3 4 enabled fire=3 say=3 wait fire=2
"$TBUFCTL" -q -n count -p $target >out &
run=$!
tell 3
hear 4 3
kill -USR2 $run
tell 3
wait $run
echo "= $?"
cat out
rm in3 out4

echo "freopen():"
start 3 4 enabled fire=3 say=3 wait fire=2
"$TBUFCTL" -q -w -x switchrate=100hz -o log -p $target -n '
BEGIN { printf("first\n"); freopen("other"); }
count { printf("%d\n", number); }
END { freopen(""); printf("last\n"); }' &
run=$!
tell 3
hear 4 3
opened $run other
mv log log.1
kill -USR2 $run
opened $run log
tell 3
wait $run
echo "= $?"
show log.1 other log
rm in3 out4 log

echo "--stat:"
"$TBUFCTL" --stat=1h -o log &
run=$!
until [ -s log ]; do
	kill -0 $run || break
done
mv log log.1
kill -USR2 $run
until [ -s log ]; do
	kill -0 $run || break
done
kill -TERM $run
wait $run
echo "= $?"
# A blank line is between tables.
tail -n +2 log | cmp - log.1
