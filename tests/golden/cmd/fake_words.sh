# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# --unwrap and --set: usage and messages.
play </dev/null
ctl --unwrap=7
ctl --unwrap text.7 -q
ctl --unwrap=7 --format=text -o out
cat out
for failure in ENOEXEC ENODATA EBADMSG ESRCH EINVAL EPERM; do
	echo "fail unwrap $failure" | play
	ctl --unwrap=7
done
play <<'END'
target 100 kvd
target 200 kvd
END
ctl --set=traceLevel=5
ctl --set traceLevel=5 -p 100 -p 200
ctl --set=wrong
ctl --set=
play </dev/null
ctl --set=traceLevel=5
echo 'fail text ENOENT "failed to set text of pid 7: it has no text components"' | play
ctl --set=traceLevel=5 -p 7
printf 'target 7 a\nfail text ENOENT none\n' | play
ctl --set=traceLevel=5
printf 'target 7 a\nfail text EPERM "failed to set text of pid 7: much"\n' | play
ctl --set=traceLevel=5
# Some options cannot be combined.
ctl --set=traceLevel=5 --unwrap=7
ctl --set=traceLevel=5 --stat
ctl --set=traceLevel=5 -l
ctl --set=traceLevel=5 -c ls
ctl --set=traceLevel=5 -n kv:::
ctl --unwrap=7 -p 7
ctl --unwrap=7 --read=file
ctl --unwrap=7 --format=json
ctl --unwrap=7 --unwrap=8
ctl --set=traceLevel=5 --set=traceLevel=4
ctl --unwrap
ctl --unwrp=7

# -x text is a list of descriptions.
{ echo show; echo "$probes"; echo 'probe 3 text kvd store severe string:text'; } | play
ctl -x text=store:2 -p 100
ctl -x text=store:warning,ALL:severe -x text=s* -p 100
ctl -x text=store:off -p 100
ctl -x text -p 100
ctl -x text= -p 100
ctl -x text=wrong -p 100
ctl -x 'text=a;traceLevel=5' -p 100
ctl -x 'text=a{b' -p 100
