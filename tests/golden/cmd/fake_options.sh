# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# -b and -x: options of the library, options of tbufctl, and errors.
play <<END
$probes
show
record 100 101 0 1 5000 6000 7 "/a"
END
ctl -b 8k -x temporal -x statusrate=10hz --follow -n kv:::
ctl -x quiet -n kv:::
ctl -x quiet=on -x quiet=off -n kv:::
for value in yes enable enabled true on set; do
	ctl -x quiet=$value -n kv:::
done
for value in no disable disabled false off unset; do
	ctl -q -x quiet=$value -n kv:::
done
ctl -x quiet=maybe -n kv:::
ctl -x zdefs=x -n kv:::
ctl -x nonsense -n kv:::
ctl -x '' -n kv:::
ctl -x bufsize=big -n kv:::
ctl -b big -n kv:::
ctl -b -4k -n kv:::
ctl -b 0 -n kv:::
ctl -x statusrate=1parsec -n kv:::
ctl -x bufsize=1k=2 -n kv:::
