# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"
TBUF_TARGET=$(dirname "$TBUF_TARGET")/stacker

# Offsets are a compiler's business, and what it has moved out of line is of
# the same function; the C library's functions have names or not.
plain()
{
	sed -E -e 's/\.cold|\.part\.[0-9]+|\.isra\.[0-9]+//g' \
	    -e 's/\+0x[0-9a-f]+/+N/g' \
	    -e 's/libc\.so\.6`.*/LIBC/' -e 's/0x[0-9a-f]+/ADDRESS/g' \
	    -e 's/\bint\) /int)/g' -e 's/ +$//' -e '/^$/d' -e 's/ +/ /g'
}

# show ORDER PROGRAM: what is recorded of a program that obeys.
show()
{
	echo "$1"
	# shellcheck disable=SC2086 # a list
	start 3 4 enabled $1 wait
	tell 3
	"$TBUFCTL" -q -n 'leaf { } '"$2" -p "$target" >out 2>&1 &
	tracer=$!
	tell 3
	wait "$target"
	wait "$tracer"
	plain <out
	rm -f in3 out4
}

# Stacks of known depth, whatever a probe's arguments are.
show shapes 'none, words, many, packed, bytes, text, texts {
	printf("%k", ustack(4)); }'
show call=1 'leaf { ustack(); trace(ustackdepth); }'
show thread 'leaf { ustack(); }'
show plus 'plus { ustack(3); usym(ucaller); }'
