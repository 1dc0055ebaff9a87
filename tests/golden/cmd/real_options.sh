# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# Options by name, as the library has them.
for x in bufsize=1x bufsize=0 bufsize=7 bufsize bufpolicy=Ring bufpolicy bufresize=maybe switchrate=1x \
    switchrate statusrate=-1s strsize=1 cpu=100000 cpu=x temporal=maybe \
    nosuch nosuch=1 aggsize=1x aggsortpos=x specsize=1x nspec=x cleanrate=x pgmax=x \
    evaltime=later grabanon ustackframes=x stackindent=1025 printsize=-1 \
    stdc=b setenv=x unsetenv=a=b amin=x define undef incdir libdir cppargs \
    cpppath; do
	ctl -x $x -n count -c "touch executed"
done
for b in 0 -4k big; do
	ctl -b $b -n count -c "touch executed"
done
ls executed 2>/dev/null
# A name suggested for a misspelt one is a real option.
for name in $("$TBUFCTL" --help | sed -n '/^  -x/,/^  -o/p' |
    tr ' ,:' '\n' | sed 's/=.*//' | grep -x '[a-z]*[a-z]' | awk '!n[$0]++'); do
	case $name in
	bufsize | bufpolicy | bufresize | switchrate | statusrate | strsize | \
	    temporal | quiet | droptags | nunits | unitsize | unitpolicy | \
	    unitselect)
		"$TBUFCTL" -x ${name}x -n count 2>&1 | grep -o 'mean.*'
	esac
done
# Options are checked before a missing description is reported.
ctl -x nosuch
ctl -x bufsize=1k
ctl -q -x bufsize=1M -x switchrate=100HZ -x statusrate=5 -x strsize=0x10 \
    -x temporal=on -x bufresize=auto -n count -c "$TBUF_TARGET fire=2"
