# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# argN of bytes with a length is their address, however it is used: in the
# program, and over its records, where only recorded bytes can be read.
live='strings { printf("[%s] [%s] [%s]\n", copyinstr(arg2 + 3),
    copyinstr(arg3, 3), copyinstr(arg3 + 1, 2));
    this->bytes = (char *)copyin(arg3, 3); printf("[%c]\n", this->bytes[1]); }'
any='strings { self->p = arg3; printf("[%c%c%c]\n", *(char *)arg3,
    *(char *)(arg3 + 1), *(char *)(self->p + 2)); tracemem(arg3 + 1, 2); }
    names { printf("[%c%c]\n", *(char *)arg4, *(char *)(arg4 + 1)); }
    cut-strings { printf("[%c]\n", *(char *)(arg1 + 200)); }'
names='blob { print(bytes); tracemem(bytes, 3); trace(bytes[2]); }
    strings { printf("[%c%c]\n", array[3], args[0][0]); tracemem(array, 2);
    letters[98] = 5; letters[array[0]]++;
    printf("%d %d\n", letters[97], letters[98]); }'
ctl -q -n "$live" -c "$TBUF_TARGET types"
ctl -q -n "$any" -c "$TBUF_TARGET types"
ctl -q -n "$names" -c "$TBUF_TARGET types large=4"
TBUF_OPTIONS='bufsize=64k,probes=tt:::' "$TBUF_TARGET" types exit=3 2>/dev/null
mv "$TBUF_DIR"/tbuf.* file
ctl -q -n "$live" --read file
ctl -q -n "$any" --read file
ctl -q -n 'strings { copyin(arg3, 100); }' --read file
ctl -q -n "${names#*\}}" --read file
for offset in 3 100000; do
	ctl -q -n "strings { trace(*(char *)(arg3 + $offset)); }" --read file |
	    sed 's/(0x[0-9a-f]*)/(ADDRESS)/; s/offset [0-9]*/offset N/'
done
