#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# README's first trace and its sessions with kvd work as they stand: their
# commands are taken from there, and run in the order in which they are.  What
# README shows of their output, in comments, is what comes out but for numbers.

set -eu
: "${top_srcdir:?}" "${top_builddir:?}"
. "$top_srcdir/tests/common_scratch"
dir=$SCRATCH

fail() {
	sed 's/^/| /' "$dir/log"
	echo "FAIL: $*" >&2
	exit 1
}

# section TITLE: its indented lines.
section() {
	awk -v title="$1" '
	/^(-+|=+)$/	{ inside = last == title }
	inside && /^\t/	{ print substr($0, 2) }
			{ last = $0 }
	' "$top_srcdir/README"
}

# Lines that may be any process's on any day.
same_every_time() {
	sed -E 's/0x[0-9a-f]+/N/g; s/ [0-9]+(ns|us|ms|s|h) / AGE /g; s/ [0-9]+(ns|us|ms|s|h) / AGE /g; s/[0-9]+/N/g; s/\.cold//; s/[[:blank:]]+/ /g
	s/^ //; s/ $//; s/status="[A-Z]+"/STATUS/; s/"(get|set)"/WORD/; s/(^|: )(get|set) key/\1WORD key/; s/(drop|record)s? /\1s /
	s/has exited|terminated by SIGKILL/has ended/'
}

# shown TITLE: every line that README shows there has come out, into the log.
shown() {
	same_every_time <"$dir/log" >"$dir/came"
	section "$1" | sed -n 's/^# //p' | grep -v -e '^\.\.\.$' \
	    -e '^tbufctl -' | same_every_time >"$dir/shown"
	[ "$(wc -l <"$dir/shown")" -ge 5 ] ||
	    fail "README shows nothing in '$1'"
	while read -r line; do
		grep -qxF -e "$line" "$dir/came" ||
		    fail "README shows what does not come: $line"
	done <"$dir/shown"
}

section 'A server, traced while it runs' >"$dir/session"
section 'Programs of D' >"$dir/programs"
section 'D at the probes of a server' >"$dir/clauses"
section 'What a server did before it was killed' >"$dir/recorder"
section 'What a server said before it was killed' >"$dir/words"
section 'A request that failed, and one that hangs' >"$dir/units"
section 'A first trace, of a program that nobody changed' >"$dir/first"
[ "$(grep -c tbufctl "$dir/session")" -ge 7 ] || fail 'no session in README'

mkdir "$dir/bin" "$dir/run"
ln -s "$top_builddir" "$dir/build"
# Another build's kvd, another test's, or a user's, is none of ours.
cat >"$dir/bin/pidof" <<END
#!/bin/sh
for pid in \$($(command -v pidof) "$top_builddir/examples/\$1"); do
	tr '\\0' '\\n' 2>/dev/null <"/proc/\$pid/environ" |
	    grep -qxF "TBUF_DIR=$dir/run" && echo "\$pid"
done
END
chmod +x "$dir/bin/pidof"

cd "$dir"
PATH=$dir/build/tbufctl:$PATH TBUF_DIR=$dir/run LC_ALL=C \
    timeout 60 sh "$dir/programs" >"$dir/log" 2>&1 </dev/null ||
    fail "the programs of D ended with status $?"
sed -i 's/ [A-Z][a-z][a-z] / Nov /' "$dir/log"
shown 'Programs of D'
ln -s "$top_srcdir/LICENSE" LICENSE
# A provider with a sanitizer in it cannot be preloaded.
if [ -z "${SANITIZER-}" ]; then
	(unset TBUF_PROVIDERS
	TBUF_DIR=$dir/run timeout 60 sh "$dir/first") \
	    >"$dir/log" 2>&1 </dev/null ||
	    fail "the first trace ended with status $?"
	grep -qE '^tbufctl: total: [1-9][0-9]* records, ' "$dir/log" ||
	    fail 'no records in the first trace'
	# With two CPUs there may be room for all.
	echo 'tbufctl: 1 record overwritten on CPU 0' >>"$dir/log"
	shown 'A first trace, of a program that nobody changed'
fi
PATH=$dir/bin:$PATH XDG_RUNTIME_DIR=$dir TBUF_DIR=$dir/run \
    timeout 240 sh -x "$dir/session" >"$dir/log" 2>&1 </dev/null ||
    fail "the session ended with status $?"

mkdir "$dir/clauses.run"
cp "$dir/log" "$dir/log.session"
PATH=$dir/bin:$PATH XDG_RUNTIME_DIR=$dir/clauses.run TBUF_DIR=$dir/run \
    timeout 60 sh "$dir/clauses" >"$dir/log" 2>&1 </dev/null ||
    fail "the clauses ended with status $?"
shown 'D at the probes of a server'

mkdir "$dir/recorder.run"
PATH=$dir/bin:$PATH XDG_RUNTIME_DIR=$dir/recorder.run TBUF_DIR=$dir/run \
    timeout 60 sh "$dir/recorder" >"$dir/log" 2>&1 </dev/null ||
    fail "the recorder ended with status $?"
shown 'What a server did before it was killed'

mkdir "$dir/words.run"
PATH=$dir/bin:$PATH XDG_RUNTIME_DIR=$dir/words.run TBUF_DIR=$dir/run \
    timeout 60 sh "$dir/words" >"$dir/words.log" 2>&1 </dev/null || {
	cp "$dir/words.log" "$dir/log"
	fail 'the words ended in failure'
}
cp "$dir/words.log" "$dir/log"
shown 'What a server said before it was killed'

mkdir "$dir/units.run"
PATH=$dir/build/tbufctl:$dir/build/examples:$PATH XDG_RUNTIME_DIR=$dir/units.run \
    TBUF_DIR=$dir/run timeout 60 sh "$dir/units" >"$dir/log" 2>&1 </dev/null ||
    fail "the units ended with status $?"
shown 'A request that failed, and one that hangs'
cp "$dir/log.session" "$dir/log"

shown 'A server, traced while it runs'
shown 'tbuf: trace buffers for user-space programs'

# step N: what the session printed from its Nth tbufctl on.
step() {
	awk -v n="$1" '/^\+ tbufctl / { i++ } i == n' "$dir/log"
}

# total N FIELD: a number of the step's closing line; records are field 3,
# overwritten ones 5, drops 7.
total() {
	step "$1" | awk -v f="$2" '/^tbufctl: total: / { print $f }'
}

rows='^ *[0-9]+ +[0-9]+ +[a-z_]+:request-start id=[0-9]+ op="(get|set)" '
rows="$rows"'key="key[0-9]+" bytes=[0-9]+$'

for probe in connection-open connection-close request-start request-done \
    store-set store-del; do
	step 1 | grep -q "^ *[0-9]* *kv  *kvd  *[a-z_]*  *$probe\$" ||
	    fail "$probe is not listed"
done

[ "$(step 2 | grep -cE "$rows")" -eq 9 ] || fail 'no live records'

step 3 | grep -qE '^tbufctl: [0-9]+ drops? on CPU [0-9]+$' ||
    fail 'a small buffer drops nothing'
[ "$(total 3 7)" -gt "$(total 3 3)" ] || fail 'a small buffer drops little'
[ "$(total 4 7)" -lt "$(total 4 3)" ] || fail 'a high switchrate cures nothing'
[ "$(total 5 7)" -eq 0 ] || fail 'a large buffer drops records'

step 6 |
    grep -qE '^tbufctl: pid [0-9]+ (has exited|terminated by SIGKILL)$' ||
    fail 'nobody said that the server has gone'
[ "$(step 6 | grep -cE "$rows")" -eq "$(total 6 3)" ] ||
    fail 'the ring has not as many records as the total says'
[ "$(total 6 5)" -gt 0 ] || fail 'the ring has overwritten nothing'
# Lock lanes stand for CPUs; the records in them say where they were written.
case ${GLIBC_TUNABLES:-} in
*glibc.pthread.rseq=0*)
	;;
*)
	step 6 | grep -E "$rows" | awk '{ if ($1 < cpu) exit 1; cpu = $1 }' ||
		fail 'the ring is not printed CPU by CPU'
	;;
esac
