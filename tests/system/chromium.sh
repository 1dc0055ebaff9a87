#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# chromium.sh: chromium with its sandbox, headless, prints a page with the libc
# provider preloaded, traced, and with all its children followed, with default
# options; and tbufctl ends when chromium ends.  The sandbox is for ordinary
# users, so root runs the test as user nobody.

set -u
: "${top_srcdir:=..}" "${top_builddir:=.}"
: "${CHROMIUM=chromium}"

[ -z "${SANITIZER-}" ] || exit 77
command -v "$CHROMIUM" >/dev/null || {
	echo "there is no $CHROMIUM"
	exit 77
}

. "$top_srcdir/tests/lib/scratch.sh"
dir=$SCRATCH_SHM
failures=0

# The user nobody may not be able to read the build.
mkdir "$dir/bin"
cp -L "$top_builddir/.libs/libtbuf.so.1" "$top_builddir/.libs/libtbuf-libc.so" \
    "$dir/bin"
tbufctl=$top_builddir/tbufctl/.libs/tbufctl
[ -x "$tbufctl" ] || tbufctl=$top_builddir/tbufctl/tbufctl
cp -L "$tbufctl" "$dir/bin/tbufctl"
echo "<p id=a></p><script>document.getElementById('a').textContent =" \
    "'6 times 7 is ' + 6 * 7</script>" >"$dir/page.html"
mkdir -m 700 "$dir/home" "$dir/tbuf"
as_user=
if [ "$(id -u)" -eq 0 ]; then
	chmod 755 "$dir"
	chown nobody "$dir/home" "$dir/tbuf"
	as_user='setpriv --reuid=nobody --regid=nogroup --clear-groups'
fi

browser="$CHROMIUM --headless --disable-gpu --dump-dom \
    --user-data-dir=$dir/home/profile file://$dir/page.html"

# run NAME COMMAND...: the command must print the page and end.
run() {
	name=$1
	shift
	$as_user env -i HOME="$dir/home" PATH="$PATH" TBUF_DIR="$dir/tbuf" \
	    TBUF_PROVIDERS="$dir/bin" LD_LIBRARY_PATH="$dir/bin" \
	    timeout 120 "$@" >"$dir/out" 2>"$dir/err" </dev/null
	status=$?
	rm -rf "$dir/home/profile"
	if [ $status -eq 0 ] && grep -q '6 times 7 is 42' "$dir/out"; then
		echo "$name: the page is there$(sed -n \
		    's/^tbufctl: total:/,/p' "$dir/err")"
		return 0
	fi
	echo "$name: status $status"
	return 1
}

fail() {
	grep -v dbus "$dir/err" >&2
	failures=$((failures + 1))
}

run plain $browser || {
	echo "$CHROMIUM does not run here by itself"
	exit 77
}
run untraced env LD_PRELOAD="$dir/bin/libtbuf-libc.so" $browser || fail
run traced "$dir/bin/tbufctl" -n 'libc:::' -o /dev/null -c "$browser" || fail
run followed "$dir/bin/tbufctl" -n 'libc:::' -o /dev/null --follow \
    -c "$browser" || fail
[ $failures -eq 0 ]
