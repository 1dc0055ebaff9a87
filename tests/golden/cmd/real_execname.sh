# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# execname is the name that was executed, in the kernel's 15 characters, not the
# name of the file that a link leads to.
ln -s "$TBUF_TARGET" a_link_with_a_long_name
ctl -q -n 'count { printf("%s", execname); }' \
    -c "./a_link_with_a_long_name fire=1"
ctl -q -x bufpolicy=ring \
    -n 'count /execname == "a_link_with_a_l"/ { trace(execname); }' \
    -c "./a_link_with_a_long_name fire=1"
