#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Control characters in names and texts of a program do not reach a terminal:
# names are cleaned in all output, and strings where it goes to a terminal.

set -u
: "${top_srcdir:?}" "${top_builddir:?}" "${TBUFCTL:?}" "${CC:=cc}"

if [ -n "${SANITIZER-}" ]; then
	echo "the library itself is built with a sanitizer"
	exit 77
fi

. "$top_srcdir/tests/lib/scratch.sh"
. "$top_srcdir/tests/lib/same.sh"
. "$top_srcdir/tests/lib/tbufctl.sh"
TBUF_DIR=$SCRATCH_SHM/run
export TBUF_DIR LC_ALL=C TBUF_TEXT='traceFacility=Memory'
unset TBUF_OPTIONS TBUF_DISABLE TBUF_KEEP TBUF_MAXSIZE
cd "$SCRATCH" || exit 1

program=$(printf 'p\033[2J')
# shellcheck disable=SC2086
$CC -D_GNU_SOURCE -g -gz=none -O1 -I"$top_srcdir/libtbuf/include" \
    "$top_srcdir/tests/hostile/hostile_names.c" -o plain \
    "$top_builddir/.libs/libtbuf.so" \
    -Wl,-rpath,"$top_builddir/.libs" || exit 1
escape=$(printf '\033')
sed "s/QQQQ/${escape}[2J/g" plain >"./$program"
chmod +x "./$program"
cp "./$program" hostile

# clean WHAT FILE: checks that a file has something, and no control characters
# but for ends of lines and tabs.
clean()
{
	bad=$(grep -nP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$2" |
	    head -n 3 | cat -v)
	same "$1" '' "$bad"
	same "$1: something" yes "$([ -s "$2" ] && echo yes)"
}

# piped ARGUMENT ...: runs tbufctl, whose output is a file.
piped()
{
	"$TBUFCTL" "$@" >out 2>&1 </dev/null
	clean "tbufctl $*" out
}

# shown ARGUMENT ...: runs tbufctl in a terminal, which adds a carriage return
# to the end of each line.
shown()
{
	printf '%s' "exec '$TBUFCTL'" >run
	for word; do
		printf " '%s'" "$word" >>run
	done
	script -qec 'sh ./run' /dev/null >raw 2>&1 </dev/null
	sed 's/\r*$//' raw >out
	clean "tbufctl $* in a terminal" out
}

# both ARGUMENT ...: does both with a command.
both()
{
	piped "$@"
	shown "$@"
}

# shellcheck disable=SC2016
object='this->s = (struct s *)copyin(arg0, sizeof (struct s));'
for command in "./$program" ./hostile; do
	both -l -c "$command"
	both -l -v -c "$command"
	both -n 'prov*:::' -c "$command"
	both -F -n 'prov*:::,plain:::' -c "$command"
	both --with=name,execname -n 'prov*:::,plain:::' -c "$command"
	both --format=log -n 'prov*:::,plain:::' -c "$command"
	both --format=json -n 'prov*:::,plain:::' -c "$command"
	both -n "plain:::go { $object print(*this->s); }" -c "$command"
	both -n "plain:::go { $object print(this->s); }" -c "$command"
	both --format=json -n "plain:::go { $object print(*this->s); }" \
	    -c "$command"
	both -n 'plain:::go { ustack(); ufunc(arg2); umod(arg2); usym(arg2);
	    uaddr(arg2); printf("%A", arg2); @[ustack()] = count();
	    @f[ufunc(arg2)] = sum(1); }' -c "$command"
	both -n "plain:::go { $object trace(this->s->structureX); }" \
	    -c "$command"
	both -n "plain:::go { $object this->s++; trace(this->s->unionX); }" \
	    -c "$command"
	both --format=folded -n 'plain:::go { @[ustack(), ufunc(arg2), copyinstr(arg1),
	    execname] = count(); }' -c "$command"
	both --format=json -n 'plain:::go { trace(copyinstr(arg1));
	    @[copyinstr(arg1)] = count(); printf("%s", copyinstr(arg1)); }' \
	    -c "$command"
	both -n 'text:::' -c "$command"
	both -n 'plain:::go { trace(typedefX); }' -c "$command"
	both -n 'plain:::go { trace(sizeof (struct innerX)); }' -c "$command"
	both -n 'provx:::' -c "$command"
	# Strings are what a program recorded, except in a terminal.
	shown -n 'plain:::go { trace(copyinstr(arg1)); }' -c "$command"
	shown -q -n 'plain:::go { trace(copyinstr(arg1));
	    printf("%s %-20s|", copyinstr(arg1), execname);
	    printf("%c", 27); print(copyinstr(arg1)); }' -c "$command"
	shown -n 'plain:::go { @[copyinstr(arg1), execname] = count();
	    printa("%s %s %@d", @); }' -c "$command"
	shown -n 'plain:::go { @[copyinstr(arg1)] = quantize(1); }' \
	    -x agghist -c "$command"
done
"$TBUFCTL" -q -n 'plain:::go { trace(copyinstr(arg1)); }' -c ./hostile >out
same 'a file has the string itself' 1 "$(grep -c "$escape" out)"

# A process that runs, then its files.
mkfifo pipe ready
TBUF_OPTIONS='probes=*:::,nunits=4' "./$program" wait <pipe >ready &
target=$!
exec 3<>pipe
read -r word <ready && [ "$word" = ready ]
both -l
both -l -v -p $target
piped --stat
both --units
both --units --format=json
both --snapshot
both --snapshot --format=json
exec 3>&-
kill -KILL $target
wait $target 2>/dev/null
both --left
both --left --format=json
for file in "$TBUF_DIR"/tbuf.*; do
	both --read "$file"
	both --format=json --read "$file"
done
for file in "$TBUF_DIR"/text.*; do
	both --unwrap "$file"
done

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
