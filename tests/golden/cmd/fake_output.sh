# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# -o appends; a write error is reported and ends tbufctl, like a closed pipe.
play <<END
$probes
record 100 101 0 2 1 1 1 0
END
ctl -o file -n kv::: -q
ctl -o file -n kv:::
ctl -o file -l -n kv:::
cat file
ctl -o nosuch/file -n kv:::
ctl -o . -n kv:::
ctl -o /dev/full -n kv:::
play <<END
$probes
command 77
record 77 77 0 2 1 1 1 0
round
record 77 77 0 2 1 1 1 0
round
record 77 77 0 2 1 1 1 0
drops 77 0 full 1
END
ctl -o /dev/full -n kv::: -c true
ctl -o /dev/full -n kv::: -c true --format=json -q
# A closed pipe is noticed without anything to write.
play <<END
$probes
round
record 100 101 0 2 1 1 1 0
round
record 100 101 0 2 1 1 1 0
END
mkfifo pipe
exec 3<>pipe 4>pipe 3>&-
"$TBUFCTL_FAKE" -n kv::: 2>&1 >&4
echo "= $?"
exec 4>&-
play <<END
$probes
record 100 101 0 2 1 1 1 0
END
"$TBUFCTL_FAKE" -n kv::: >/dev/full
echo "= $?"
"$TBUFCTL_FAKE" -l >/dev/full
echo "= $?"
"$TBUFCTL_FAKE" --help >/dev/full
echo "= $?"
"$TBUFCTL_FAKE" -n kv::: >&-
echo "= $?"
"$TBUFCTL_FAKE" -n kv::: -o other >&-
echo "= $?"
play <<END
$probes
repeat 100000
record 100 101 0 2 1 1 1 0
drops 100 0 full 1
END
for format in text json; do
	{ "$TBUFCTL_FAKE" --format=$format -n kv::: 2>messages
	echo "= $?" >>messages; } | sed 1q
	# The pipe took some of the records.
	sed 's/total: [0-9]* rec/total: N rec/' messages
done
