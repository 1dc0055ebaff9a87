#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The commands of README and doc/tour.md work as they are written.  The test takes
# them from these files, section by section, and runs them in their order.  The
# output shown there, in comments, equals the real output except for numbers.

set -eu
: "${top_srcdir:?}" "${top_builddir:?}"
. "$top_srcdir/tests/lib/scratch.sh"
dir=$SCRATCH

fail() {
	sed 's/^/| /' "$dir/log"
	echo "FAIL: $*" >&2
	exit 1
}

# section FILE TITLE: prints the indented lines of the section.  README underlines
# its titles, doc/tour.md begins them with '#'.
section() {
	awk -v title="$2" '
	/^(-+|=+)$/	{ inside = last == title }
	/^#+ /		{ sub(/^#+ /, ""); inside = $0 == title }
	inside && /^\t/	{ print substr($0, 2) }
			{ last = $0 }
	' "$top_srcdir/$1"
}

# same_every_time: replaces the parts of lines that differ from run to run.
same_every_time() {
	sed -E 's/0x[0-9a-f]+/N/g; s/ [0-9]+(ns|us|ms|s|h) / AGE /g; s/ [0-9]+(ns|us|ms|s|h) / AGE /g; s/ [0-9.]+ (ns|us|ms|s) *$/ TIME/; s/[0-9]+/N/g; s/\.cold//; s/[[:blank:]]+/ /g
	s/^ //; s/ $//; s/status="[A-Z]+"/STATUS/; s/"(get|set)"/WORD/; s/(^|: )(get|set) key/\1WORD key/; s/(drop|record)s? /\1s /
	s/has exited|terminated by SIGKILL/has ended/'
}

# shown FILE TITLE: fails unless the log has every line of output that the section
# shows.
shown() {
	same_every_time <"$dir/log" >"$dir/came"
	section "$1" "$2" | sed -n 's/^# //p' | grep -v -e '^\.\.\.$' \
	    -e '^tbufctl -' | same_every_time >"$dir/shown"
	[ "$(wc -l <"$dir/shown")" -ge 5 ] ||
	    fail "$1 shows nothing in '$2'"
	while read -r line; do
		grep -qxF -e "$line" "$dir/came" ||
		    fail "$1 shows a line that is not printed: $line"
	done <"$dir/shown"
}

tour=doc/tour.md
first='A first trace, of an unmodified program'
functions='The functions of a program'
session='A server, traced while it runs'
programs='Programs of D'
clauses='D at the probes of a server'
recorder='The last records of a server that was killed'
words='The last messages of a server that was killed'
units='A request that failed, and one that hangs'
section $tour "$first" >"$dir/first"
section $tour "$functions" >"$dir/functions"
section $tour "$session" >"$dir/session"
section $tour "$programs" >"$dir/programs"
section $tour "$clauses" >"$dir/clauses"
section $tour "$recorder" >"$dir/recorder"
section $tour "$words" >"$dir/words"
section $tour "$units" >"$dir/units"
[ "$(grep -c tbufctl "$dir/session")" -ge 7 ] || fail "no session in $tour"

scene='tbuf: trace buffers for user-space programs'
unmodified='Trace a program as it is'
server='Ask a running server'
ended='Ask again after the end'
own='Probes in your own program'
section README "$unmodified" >"$dir/unmodified"
section README "$server" >"$dir/server"
section README "$ended" >"$dir/ended"
section README "$own" >"$dir/own"

mkdir "$dir/bin" "$dir/run"
ln -s "$top_builddir" "$dir/build"
# pidof finds no kvd of another build, of another test or of a user.
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
shown $tour "$programs"
ln -s "$top_srcdir/LICENSE" LICENSE
# A provider with a sanitizer in it cannot be preloaded, and shop would have to be
# linked with the sanitizer.
if [ -z "${SANITIZER-}" ]; then
	(unset TBUF_PROVIDERS
	TBUF_DIR=$dir/run timeout 60 sh "$dir/first") \
	    >"$dir/log" 2>&1 </dev/null ||
	    fail "the first trace ended with status $?"
	grep -qE '^tbufctl: total: [1-9][0-9]* records, ' "$dir/log" ||
	    fail 'no records in the first trace'
	# With two CPUs there may be room for all.
	echo 'tbufctl: 1 record overwritten on CPU 0' >>"$dir/log"
	shown $tour "$first"

	(unset TBUF_PROVIDERS
	mkdir "$dir/functions.run"
	XDG_RUNTIME_DIR=$dir/functions.run TBUF_DIR=$dir/run LC_ALL=C \
	    timeout 60 sh "$dir/functions") \
	    >"$dir/log" 2>&1 </dev/null ||
	    [ $? -eq 1 ] || fail "the functions ended with status $?"
	shown $tour "$functions"

	(unset TBUF_PROVIDERS
	mkdir "$dir/unmodified.run"
	XDG_RUNTIME_DIR=$dir/unmodified.run TBUF_DIR=$dir/run LC_ALL=C \
	    timeout 60 sh "$dir/unmodified") \
	    >"$dir/log" 2>&1 </dev/null ||
	    fail "README's unmodified program ended with status $?"
	shown README "$unmodified"

	# pkg-config and cc name the build's files and not installed ones.
	mkdir "$dir/own.bin"
	libs=$top_builddir/.libs
	cat >"$dir/own.bin/pkg-config" <<END
#!/bin/sh
echo "-I$top_srcdir/libtbuf/include -L$libs -Wl,-rpath,$libs -ltbuf"
END
	printf '#!/bin/sh\nexec %s "$@"\n' "${CC:-cc}" >"$dir/own.bin/cc"
	chmod +x "$dir/own.bin/pkg-config" "$dir/own.bin/cc"
	PATH=$dir/own.bin:$dir/build/tbufctl:$PATH TBUF_DIR=$dir/run \
	    timeout 60 sh -e "$dir/own" >"$dir/log" 2>&1 </dev/null ||
	    fail "README's own program ended with status $?"
	shown README "$own"
fi

mkdir "$dir/server.run" "$dir/ended.run" "$dir/ended.files"
XDG_RUNTIME_DIR=$dir/server.run TBUF_DIR=$dir/run \
    timeout 60 sh "$dir/server" >"$dir/log" 2>&1 </dev/null ||
    fail "README's server ended with status $?"
shown README "$server"
XDG_RUNTIME_DIR=$dir/ended.run TBUF_DIR=$dir/ended.files \
    PATH=$dir/build/tbufctl:$dir/build/examples:$PATH \
    timeout 60 sh "$dir/ended" >"$dir/log" 2>&1 </dev/null ||
    fail "README's recorder ended with status $?"
shown README "$ended"

PATH=$dir/bin:$PATH XDG_RUNTIME_DIR=$dir TBUF_DIR=$dir/run \
    timeout 240 sh -x "$dir/session" >"$dir/log" 2>&1 </dev/null ||
    fail "the session ended with status $?"

mkdir "$dir/clauses.run"
cp "$dir/log" "$dir/log.session"
PATH=$dir/bin:$PATH XDG_RUNTIME_DIR=$dir/clauses.run TBUF_DIR=$dir/run \
    timeout 60 sh "$dir/clauses" >"$dir/log" 2>&1 </dev/null ||
    fail "the clauses ended with status $?"
shown $tour "$clauses"

mkdir "$dir/recorder.run"
PATH=$dir/bin:$PATH XDG_RUNTIME_DIR=$dir/recorder.run TBUF_DIR=$dir/run \
    timeout 60 sh "$dir/recorder" >"$dir/log" 2>&1 </dev/null ||
    fail "the recorder ended with status $?"
shown $tour "$recorder"

mkdir "$dir/words.run"
PATH=$dir/bin:$PATH XDG_RUNTIME_DIR=$dir/words.run TBUF_DIR=$dir/run \
    timeout 60 sh "$dir/words" >"$dir/words.log" 2>&1 </dev/null || {
	cp "$dir/words.log" "$dir/log"
	fail 'the words ended in failure'
}
cp "$dir/words.log" "$dir/log"
shown $tour "$words"

mkdir "$dir/units.run"
PATH=$dir/build/tbufctl:$dir/build/examples:$PATH XDG_RUNTIME_DIR=$dir/units.run \
    TBUF_DIR=$dir/run timeout 60 sh "$dir/units" >"$dir/log" 2>&1 </dev/null ||
    fail "the units ended with status $?"
shown $tour "$units"
cp "$dir/log.session" "$dir/log"

shown $tour "$session"
shown README "$scene"

# step N: prints the output of the session's Nth tbufctl.
step() {
	awk -v n="$1" '/^\+ tbufctl / { i++ } i == n' "$dir/log"
}

# total N FIELD: prints a number of the step's last line; records are field 3,
# overwritten records 5, drops 7.
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
    fail 'the end of the server is not printed'
[ "$(step 6 | grep -cE "$rows")" -eq "$(total 6 3)" ] ||
    fail 'the ring has not as many records as the total says'
[ "$(total 6 5)" -gt 0 ] || fail 'the ring has overwritten nothing'
# Without rseq, a record's own CPU and not its lane's is printed.
case ${GLIBC_TUNABLES:-} in
*glibc.pthread.rseq=0*)
	;;
*)
	step 6 | grep -E "$rows" | awk '{ if ($1 < cpu) exit 1; cpu = $1 }' ||
		fail 'the ring is not printed CPU by CPU'
	;;
esac
