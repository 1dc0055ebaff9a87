# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# An error prints one line, exits with 1, and no command is executed.
try()
{
	{ echo show; echo "$1"; } | play
	shift
	ctl "$@"
}
try 'fail new EMFILE' -n kv:::
try 'fail grab ESRCH "failed to grab pid 7: No such process"' -p 7 -c ls -n kv:::
try 'fail grab EACCES "failed to open the runtime directory"' -n kv:::
try 'fail spawn ENOENT "failed to execute true: No such file or directory"' -n kv::: -c true
try 'fail go ENOSPC "could not enable tracing: Not enough space"' -n kv::: -c ls
try 'fail list EPROTO "libtbuf 2, tbufctl 1"' -l
try 'fail list EPROTO "libtbuf 2, tbufctl 1"' -i 1027
try 'fail status EPERM' --stat
try 'fail grab ESRCH "failed to grab pid 7: No such process"' --stat -p 7
