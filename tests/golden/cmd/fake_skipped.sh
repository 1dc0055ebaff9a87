# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# Skipped targets are reported once, in every format; records are printed all
# the same.
play <<EOS
$probes
skipped EMFILE
record 100 1 0 1 5 6 7 "a"
round
record 100 1 0 1 8 9 7 "b"
end
EOS
ctl -n request-start
ctl -q -n request-start
ctl -q --format=json -n request-start
ctl -l -n request-start
# Processes publish a reason; it is printed with their number.
play <<EOS
$probes
missed 1 "Not enough space"
missed 12 "file size limit is too low"
record 100 1 0 1 5 6 7 "a"
end
EOS
ctl -n request-start
ctl -q -n request-start
# Some threads cannot be sampled by profile-N.
play <<EOS
$probes
unsampled "2 threads are not sampled: Too many open files"
unsampled "9 samples were of processes that are not traced"
end
EOS
ctl -q -n request-start
for error in ENOSPC EUSERS ENOMEM EAGAIN; do
	echo "skipped $error" | play
	ctl -q -n request-start
done
# Probes beyond a limit are reported when tracing begins, and later.
play <<EOS
$probes
table 100 904
waiting 100 1
waiting 101 3
round
lost 100 1
unmet 100 17
unfit 100 2
timers 100 9
exit 100
end
EOS
ctl -n request-start
ctl -l -n request-start
ctl --format=json -n request-start | grep timers
