# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# Records that could be read are printed, then the reason for the end.
play <<END
$probes
record 100 101 0 2 1 1 1 0
damage 100 0 8
damage 100 0 24
damage 100 1 1
end ETIMEDOUT "processing aborted: the target gave up the session"
END
ctl -n kv:::
