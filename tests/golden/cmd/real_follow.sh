# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# Children are traced with --follow only.
ctl -q -n count -c "$TBUF_TARGET fire=2 fork=3"
"$TBUFCTL" -q --follow -n count -c "$TBUF_TARGET fire=2 fork=3" >out 2>err
echo "= $?"
sort out
normal <err

# follow WORD ARGUMENTS...: traces into `out`, prints the messages, and runs
# go_on as soon as a message ends with the word.
mkfifo in messages
follow()
{
	word=$1
	shift
	"$TBUFCTL" --follow -n count "$@" <in >out 2>messages &
	exec 5>in 6<messages
	while read -r line <&6; do
		echo "$line" | normal
		[ "${line##* }" != "$word" ] || break
	done
	go_on
	normal <&6
	exec 5>&- 6<&-
	wait $!
	echo "= $?"
	normal <out | sort
}
# A child that was orphaned before it became a target is waited for.
go_on() { echo >&5; }
follow exited -c "$TBUF_TARGET fire=2 orphan=3"
# A child that becomes a target after its parent, not a target, has ended is
# waited for, too.
mkfifo go
go_on() { echo >go; }
follow exited -c "sh -c '\"\$0\" wait fire=2 <go & exit' $TBUF_TARGET"
# A child that is executed without fork(2) is not announced by its parent.
start 3 4 fire=1 spawn=2
go_on() { tell 3; }
follow probe -p $target
wait
# Probes of a child that had ended when tbufctl found it are matched: there is
# no message, and the status is 0.
for probes in tt:::count 'tt:::count { @ = sum(arg0); }' \
    'tt:::count /arg0 == 3/ { trace(arg0); }'; do
	"$TBUFCTL" -q --follow -n "$probes" -c \
	    "sh $top_srcdir/tests/lib/ended_child.sh $TBUF_TARGET fire=3" 2>&1
	echo "= $?"
done
# A clause of a child ends the run before tbufctl, which is stopped, has seen the
# child's session.
cat >stopped <<'END'
kill -STOP $PPID
"$TBUF_TARGET" fire=3
kill -CONT $PPID
END
# The shell may have ended, or be left running.
"$TBUFCTL" -q --follow -n 'tt:::count /arg0 == 2/ { exit(5); }' \
    -c 'sh stopped' >out 2>err
echo "= $?"

# A run of a command that is another run.  The latter's children are of both.
"$TBUFCTL" -q --follow -o outer -n count -c \
    "$TBUFCTL -q --follow -n count -c '$TBUF_TARGET fire=2 fork=3'" >out 2>err
echo "= $?"
sort out
echo outer
sort outer
grep -v 'terminated by SIGKILL' err | normal
