#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# probes.sh: tests the libc provider alone.  A replacement of libtbuf writes
# down each fire (fake_libtbuf.c), so that fires can be compared word by word.
#
# PROVIDER_DIR holds libtbuf-libc.so and the programs, by default those of the
# build tree.

set -u
: "${top_srcdir:=..}" "${top_builddir:=.}"
: "${PROVIDER=$top_builddir/.libs/libtbuf-libc.so}"
: "${FAKE=$top_builddir/tests/providers/libc/.libs/fake_libtbuf.so}"
: "${FAKE_DLSYM=$top_builddir/tests/providers/libc/.libs/allocating_dlsym.so}"
: "${EARLY=$top_builddir/tests/providers/libc/.libs/early_constructor.so}"
: "${PROGRAMS=$top_builddir/tests/providers/libc}"

# A sanitizer's run-time library has to come first, and replaces malloc.
[ -z "${SANITIZER-}" ] || exit 77

. "$top_srcdir/tests/lib/scratch.sh"
dir=$SCRATCH
failures=0
TBUF_DISABLE=1
LC_ALL=C
export TBUF_DISABLE LC_ALL

fail() {
	echo "FAIL: $*" >&2
	failures=$((failures + 1))
}

# Prints the fires, one on a line; line 0 of the file is a counter.
told() {
	tail -c +257 "$dir/log" | tr -d '\0'
}

# fake GLOBS COMMAND...: runs a command with these probes enabled.
fake() {
	globs=$1
	shift
	rm -f "$dir/log"
	FAKE_LOG=$dir/log FAKE_ENABLE=$globs \
	    LD_PRELOAD="$FAKE:$PROVIDER${EXTRA+:$EXTRA}" "$@"
}

# same WHAT: compares the files `expected` and `got`.
same() {
	diff -u "$dir/expected" "$dir/got" >&2 || fail "$1"
}

# Each case runs alone, with all probes disabled, and with all enabled.
for name in errno_kept errno_told bad_address open_mode tell contended \
    mutex_kinds cancel longjmp storm exec daemon dlerror return \
    exit quick_exit; do
	"$PROGRAMS/cases" $name >"$dir/expected" ||
	    fail "$name, without a provider"
	LD_PRELOAD=$PROVIDER "$PROGRAMS/cases" $name >"$dir/got" ||
	    fail "$name, disabled"
	same "$name, disabled"
	fake '*' "$PROGRAMS/cases" $name >"$dir/got" ||
	    fail "$name, enabled"
	same "$name, enabled"
done

# The output is compared, without addresses and pids, which vary.
told='open* close* *read* *write* *alloc* free* socket* pthread* fork* *exit*'
fake "$told" "$PROGRAMS/cases" tell
told | sed -e 's/=0x[1-9a-f][0-9a-f]*/=ADDRESS/g' \
    -e '/^fork:return/s/=[1-9][0-9]*/=PID/' >"$dir/got"
sed 's/^	//' >"$dir/expected" <<'END'
	open:entry path=ADDRESS flags=524290 mode=0
	open:return result=3 errno=0 path="/dev/zero"
	close:entry fd=3
	close:return result=0 errno=0
	read:entry fd=20 buf=ADDRESS count=8
	read:return result=8 errno=0
	pread:entry fd=20 buf=ADDRESS count=3 offset=5
	pread:return result=3 errno=0
	write:entry fd=20 buf=ADDRESS count=4
	write:return result=4 errno=0
	close:entry fd=20
	close:return result=0 errno=0
	close:entry fd=20
	close:return result=-1 errno=9
	open:entry path=ADDRESS flags=0 mode=0
	open:return result=-1 errno=2 path="/nowhere/at/all"
	malloc:entry size=12345
	malloc:return result=ADDRESS errno=0
	free:entry ptr=ADDRESS
	free:return
	calloc:entry nmemb=3 size=50
	calloc:return result=ADDRESS errno=0
	reallocarray:entry ptr=ADDRESS nmemb=7 size=90
	realloc:entry ptr=ADDRESS size=630
	realloc:return result=ADDRESS errno=0
	reallocarray:return result=ADDRESS errno=0
	free:entry ptr=ADDRESS
	free:return
	socket:entry domain=1 type=-1 protocol=7
	socket:return result=-1 errno=22
	pthread_mutex_lock:entry mutex=ADDRESS
	pthread_mutex_lock:acquired mutex=ADDRESS
	pthread_mutex_lock:return result=0
	pthread_mutex_trylock:entry mutex=ADDRESS
	pthread_mutex_trylock:return result=16
	pthread_mutex_unlock:entry mutex=ADDRESS
	pthread_mutex_unlock:return result=0
	fork:entry
	fork:return result=PID errno=0
	fork:return result=0 errno=0
	_exit:entry status=3
	exit:entry status=0
END
# Parent and child continue in any order.
sort "$dir/got" -o "$dir/got"
sort "$dir/expected" -o "$dir/expected"
same 'what is told'
cp "$dir/expected" "$dir/whole"

# A wrapper skips its probes only if none of them is enabled.
for name in entry return acquired; do
	fake "*:$name" "$PROGRAMS/cases" tell
	told | sed -e 's/ .*//' -e '/^fork:return/d' | sort >"$dir/got"
	sed -n "s/ .*//;/^fork:return/d;/:$name\$/p" "$dir/whole" |
	    sort >"$dir/expected"
	same "$name alone"
done

# A thread that waits fires `contended`, and `acquired` afterwards.
fake 'pthread_mutex_lock:[ac]*' "$PROGRAMS/cases" contended
told | sed 's/ .*//' >"$dir/got"
sed 's/^	//' >"$dir/expected" <<'END'
	pthread_mutex_lock:acquired
	pthread_mutex_lock:contended
	pthread_mutex_lock:acquired
END
same 'contended'

# A trylock tells if the mutex is held, also by the caller.
fake '*:contended' "$PROGRAMS/cases" mutex_kinds
told | sed 's/ .*//' >"$dir/got"
sed 's/^	//' >"$dir/expected" <<'END'
	pthread_mutex_lock:contended
	pthread_mutex_timedlock:contended
	pthread_mutex_clocklock:contended
END
same 'contended by kind'

# The provider's own calls do not fire.
fake 'fork* *exit* open* close*' "$PROGRAMS/cases" daemon
told | sed '/^fork:return/s/=[1-9][0-9]*/=PID/' | sort >"$dir/got"
sed 's/^	//' >"$dir/expected" <<'END'
	_exit:entry status=9
	close:entry fd=4
	close:return result=0 errno=0
	exit:entry status=0
	fork:entry
	fork:return result=0 errno=0
	fork:return result=PID errno=0
END
same 'daemon'

# A constructor that runs before the provider's is traced like main.
EXTRA=$EARLY fake 'malloc:*' "$PROGRAMS/cases" return
[ "$(told | head -1)" = 'malloc:entry size=4711' ] ||
    fail "early: $(told | head)"

# libtbuf's calls go through another library, also while it begins.
timeout -s KILL 60 env LD_PRELOAD="$EARLY:$PROVIDER" \
    "$PROGRAMS/cases" storm || fail "behind another: status $?"

# exit fires once, for each way to end.
for name in return exit; do
	fake 'exit:entry' "$PROGRAMS/cases" $name
	[ "$(told)" = 'exit:entry status=0' ] || fail "$name: $(told)"
done

# A program's own malloc is used, and does not fire.
fake '*alloc*' "$PROGRAMS/own_malloc" >"$dir/got" ||
    fail "own malloc: status $?"
[ "$(cat "$dir/got")" = 'own malloc used' ] || fail 'own malloc is not used'
[ "$(told)" = '' ] || fail "own malloc: $(told)"

# A dlsym that allocates calls the provider during its search.
for name in errno_kept tell storm; do
	LD_PRELOAD=$PROVIDER:$FAKE_DLSYM "$PROGRAMS/cases" $name ||
	    fail "$name with an allocating dlsym"
	EXTRA=$FAKE_DLSYM fake '*' "$PROGRAMS/cases" $name ||
	    fail "$name with an allocating dlsym, enabled"
done

# The manual lists exactly the registered probes.
FAKE_LIST=1
export FAKE_LIST
fake '' /bin/true
unset FAKE_LIST
told | sed -n 's/^libc:libc\.so\.6://p' | sort >"$dir/got"
sed -n 's/^\.It Li \([^ ]*\) Ta *\(.*\)$/\1 \2/p' \
    "$top_srcdir/man/tbuf_libc.7" | sed -e 's/ Ta / /' -e 's/ *$//' |
    sort >"$dir/expected"
[ -s "$dir/got" ] || fail 'nothing is registered'
same 'tbuf_libc(7)'

# Only the functions of the map are exported.
sed -n 's/^	\([a-z_0-9A-Z]*\);$/\1/p' "$top_srcdir/providers/libc/libc.map" |
    sort >"$dir/expected"
nm -D --defined-only "$PROVIDER" | sed 's/.* //' | sort >"$dir/got"
same 'exported functions'

[ $failures -eq 0 ] || exit 1
