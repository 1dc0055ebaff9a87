# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# The end of processes is reported, and the processes that still run.
run()
{
	{ echo "command 77"; cat; } | play
	ctl -n kv::: -c true
	ctl -q -n kv::: -c true
}
echo 'exit 77 status 0' | run
echo 'exit 77 status 255' | run
echo 'exit 77 signal 9' | run
echo 'exit 77 signal 11' | run
echo 'exit 77 signal 34' | run
echo 'exit 77 signal 64' | run
echo 'exit 77' | run
echo 'exit 100' | run
# The process that ends is not the command's.
echo 'exit 100 status 3' | run
echo 'exit 100 signal 11' | run
