# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# Each of -P -m -f -n -i is an enabling, in the order of the command line.
play <<END
target 100 kvd
probe 1025 kv kvd serve request-start
probe 1026 cxx lib.so operator[] index*?
show
END
ctl -n name -f func -m mod -P prov -n p:m:f:n -q
ctl -f m:f -m p:m -n f:n -n m:f:n -q
ctl -P kv,libc -m a,b: -n a,b -q
ctl -P ' kv , libc' -n ' a:b ,	c' -n ' ' -q
# A comma in a class, or after a backslash, separates nothing.
ctl -P '[a,b],[],c],d\,e' -q
ctl -n '' -q
ctl -i 1026 -i 1025 -q
ctl -n kv::: -i 1025 -q
# An id without a probe matches nothing.
ctl -i 1027 -q
