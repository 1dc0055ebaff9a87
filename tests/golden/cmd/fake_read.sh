# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# --read prints a file's records, with or without descriptions; several files.
play <<END
show
$probes
record 100 101 0 2 1 1 1 0
overwritten 100 0 4
END
ctl --read a/file
ctl --read=file -q --with=pid
ctl --read one --read two -n kv::: --format=json
ctl -l --read file
# Some options cannot be combined with --read; errors of a file are reported.
ctl --read
ctl --read file -p 7
ctl --read file -c true
ctl --stat --read file
play <<END
fail read EINVAL "failed to read file: not a control file"
END
ctl --read file
# -p reads a process that has ended.
play <<END
$probes
fail grab ESRCH "not this one"
left 7
record 7 7 0 2 1 1 1 0
END
ctl -p 7 -n kv:::
ctl -q -p 7 -n kv:::
ctl -p 7 -p 8 -n kv:::
