# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# A program's name is that of what was executed, in the kernel's 15 characters,
# and not that of the file which a link leads to.
ln -s "$TBUF_TARGET" a_link_with_a_long_name
ctl -q -n 'count { printf("%s", execname); }' \
    -c "./a_link_with_a_long_name fire=1"
ctl -q -x bufpolicy=ring \
    -n 'count /execname == "a_link_with_a_l"/ { trace(execname); }' \
    -c "./a_link_with_a_long_name fire=1"
