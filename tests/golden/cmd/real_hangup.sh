# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# A ring is printed if the terminal is closed.
terminal=$(dirname "$TBUF_TARGET")/terminal

# hang_up ARGUMENT ...: closes the terminal after the target has fired.
hang_up()
{
	start 3 4 enabled fire=3 say=fired wait fire=2 say=more wait
	mkfifo hold
	"$terminal" "$TBUFCTL" -x bufpolicy=ring -n count -p $target "$@" \
	    <hold &
	exec 5>hold
	tell 3
	hear 4 fired
	exec 5>&-
}

# Lets the target end.
leave()
{
	tell 3
	hear 4 more
	tell 3
	rm hold in3 out4
}

echo "to a file:"
hang_up -q -o file
wait $!
echo "= $?"
cat file
leave
echo "to a file, in JSON:"
hang_up --format=json -o json
wait $!
echo "= $?"
normal <json
leave
echo "to the terminal:"
hang_up
wait $!
echo "= $?"
leave
echo "under nohup:"
rm file
trap '' HUP
hang_up -q -o file
trap - HUP
leave
wait $!
echo "= $?"
cat file
echo "signals that a command ignores:"
shows='grep SigIgn /proc/self/status'
trap '' HUP INT QUIT TERM PIPE XFSZ USR1 USR2 ALRM
$shows >plain
"$TBUFCTL" -q -Z -n absent::: -c "$shows" >traced 2>said
trap - HUP INT QUIT TERM PIPE XFSZ USR1 USR2 ALRM
cmp plain traced && echo same
$shows >plain
"$TBUFCTL" -q -Z -n absent::: -c "$shows" >traced 2>said
cmp plain traced && echo same
