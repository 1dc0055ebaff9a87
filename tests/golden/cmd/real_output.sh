# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# Output goes to -o, a closed pipe, a full disk.
ctl -o file -n count -c "$TBUF_TARGET fire=1"
ctl -o file -q -n count -c "$TBUF_TARGET fire=1"
normal <file
ctl -o /dev/full -n count -c "$TBUF_TARGET fire=1"
ctl -o nosuch/file -n count -c 'touch executed'
ls executed 2>/dev/null
{ "$TBUFCTL" -q -b 64m -n count -c "$TBUF_TARGET fire=100000" 2>err
echo "= $?" >>err; } | sed 1q
# The target may have ended by then or not.
normal <err | sed -e 's/[0-9]* records/N records/' -e '/left running/d'
# The file must not become larger.
head -c 8388608 /dev/zero >long
(ulimit -f 16384; ctl -q -o long -n count -c "$TBUF_TARGET fire=1")
