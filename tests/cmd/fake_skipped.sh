# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# Told once, in every format; records are given all the same.
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
for error in ENOSPC EUSERS ENOMEM; do
	echo "skipped $error" | play
	ctl -q -n request-start
done
