# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

play <<END
$probes
probe 3 kv kvd serve stop uint64:id
probe 4 kv kvd close stop
END

# A program of several lines, or of a long one, is named by its beginning, and
# an error in it by its line.
ctl -n 'kv:::request-start
{
	self;
	trace(id) self
}'
ctl -n '
	kv:::request-done
	/status == 0/ { trace(nosuch); }'
ctl -n 'kv:::request-start { trace(id); }
kv:::request-done { trace(1) trace(2); }' -n 'BEGIN { exit(0); }'
ctl -n 'BEGIN { trace("0123456789 0123456789 0123456789 0123456789 01234567é"); x }'
ctl -n '
BEGIN { trace(x); }
'
ctl -m 'kvd
{ trace(1) }}'
# The errors of a script's generation name the program that has them.
ctl -n 'BEGIN { exit(0); }' -n 'END { mutex_owner(0); }' -n 'BEGIN { trace(0); }'
ctl -n 'BEGIN
{ exit(0); }' -n 'END
{
	mutex_owner(0);
}' -n 'BEGIN { trace(0); }'

# An unknown variable lists the arguments of the clause's probes.
ctl -n 'request-start { trace(nosuch); }'
ctl -n 'request-start { trace(pathh); }'
ctl -n 'kv::close:stop { trace(nosuch); }'
ctl -n 'kv::: { trace(nosuch); }'
ctl -n 'stop /nosuch/ { trace(1); }'
ctl -n 'BEGIN { trace(nosuch); }'
echo 'stop { @[nosuch] = count(); }' >script.d
ctl -s script.d

# Words of bpftrace have equivalents in D.
ctl -n 'BEGIN { @ = hist(1); }'
ctl -n 'BEGIN { @ = lhist(1, 0, 10, 1); }'
ctl -n 'BEGIN { trace(nsecs); }'
ctl -n 'BEGIN { trace(nsecs()); }'
ctl -n 'BEGIN { @[comm] = count(); }'
ctl -n 'BEGIN { trace(probe); }'
ctl -n 'BEGIN { @ = count(); print(@); }'
ctl -n 'BEGIN { @x[1] = count(); print(@x); }'
# So do its descriptions.
for description in interval:s:1 interval:ms:100 interval:5s interval:x \
    profile:hz:99 usdt:/bin/kvd:kv:request__start usdt:./kvd:start \
    usdt:kvd:start uprobe:/bin/kvd:main uprobe:libc:malloc \
    uretprobe:/lib/libc.so.6:malloc kprobe:vfs_read kretprobe:__x64_sys_read \
    tracepoint:syscalls:sys_enter_openat tracepoint:syscalls:sys_exit_openat \
    tracepoint:sched:sched_switch software:faults:100; do
	ctl -n "$description { trace(1); }"
done
echo '/* uprobe:a:b */ kv::: { trace("uprobe:a:b"); } BEGIN { interval:s:1 }
	interval:s:2 { exit(0); }' >script.d
ctl -s script.d
# Names that are not bpftrace's.
ctl -n 'profile:::nosuch { trace(1); }'
ctl -n 'usdt:::nosuch { trace(1); }'
ctl -n 'kv:uprobe:: { trace(1); }'

# Names of functions need parentheses, those of variables have none.
ctl -n 'BEGIN { exit; }'
ctl -n 'BEGIN { exit(); }'
ctl -n 'BEGIN { @[ustack] = count(); }'
ctl -n 'BEGIN { trace(ustack); }'
ctl -n 'BEGIN { @ = count; }'
ctl -n 'BEGIN { @ = quantize; }'
ctl -n 'BEGIN { trace(strlen + 1); }'
ctl -n 'BEGIN { trace(execname()); }'
ctl -n 'BEGIN { trace(args.id); }'

# The message about a destructive action names it, and -w.
ctl -q -n 'BEGIN { system("true"); }'
ctl -q -n 'BEGIN { trace(1); } END { freopen("x"); system("true"); }'
ctl -q -n 'BEGIN { copyout(alloca(1), 1, 1); }'
ctl -q -x destructive -e -n 'BEGIN { system("true"); }'

# The options that a program sets.
ctl -n '#pragma D option policy=ring
BEGIN { exit(0); }'

# Descriptions without a clause have bpftrace's words, too.
echo "matched 0 0 0
$probes" | play
ctl -n interval:s:1 -n 'usdt:kvd:start,kprobe:f' -n uprobe
