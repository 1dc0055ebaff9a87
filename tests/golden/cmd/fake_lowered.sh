# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# The message has the new size, in the largest unit that divides it.
for size in 16 1000 1024 1536 131072 128m 3g 4t 1025k; do
	echo "lowered $size" | play
	ctl -b 8g -n kv:::
done
