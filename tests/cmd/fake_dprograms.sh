# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# What belongs to D programs is refused by name.
play </dev/null
for flag in -e -G -h -s -S -w; do
	ctl $flag -n kv:::
done
ctl -n 'kv:::request-start { trace(arg0); }'
ctl -n 'kv:::request-start /arg0 > 1/'
ctl -P 'kv{}'
ctl -x aggsize=1m -n kv:::
ctl -n 'kv:::
{
	trace(arg0);
}'
