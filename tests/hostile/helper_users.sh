#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The helper processes of root's tbufctl, which read files of programs by libdw,
# are not root's: they have the program's user, or one without files, no new
# privileges, and a filter of their system calls.

set -u
. "${top_srcdir:?}/tests/lib/scratch.sh"
. "$top_srcdir/tests/lib/same.sh"
: "${TBUFCTL:?}" "${top_builddir:?}" "${CC:=cc}"
[ -z "${SANITIZER-}" ] || {
	echo 'a sanitizer comes before a preloaded library'
	exit 77
}
if [ "$(id -u)" != 0 ] || ! setpriv --reuid 1001 --clear-groups true; then
	echo 'not root, or no other users: skipped'
	exit 77
fi
unset TBUF_DIR TBUF_OPTIONS TBUF_DISABLE TBUF_KEEP TBUF_MAXSIZE
chmod 755 "$SCRATCH"
cd "$SCRATCH" || exit 1

# libdw's function reports the process that calls it.
cat >preload.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

void *
dwfl_begin(const void *callbacks)
{
	void *(*next)(const void *) =
	    (void *(*)(const void *))dlsym(RTLD_NEXT, "dwfl_begin");
	char line[256], text[256] = "helper";
	FILE *f = fopen("/proc/self/status", "r");

	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "Uid:", 4) == 0 ||
		    strncmp(line, "NoNewPrivs:", 11) == 0 ||
		    strncmp(line, "Seccomp:", 8) == 0)
			strcat(strcat(text, " "), line);
	}
	if (f != NULL)
		fclose(f);
	fprintf(stderr, "%s\n", text);
	return (next(callbacks));
}
END
$CC -O2 -fPIC -shared preload.c -o preload.so -ldl || exit 1
$CC -g -O1 -I"$top_srcdir/libtbuf/include" \
    "$top_srcdir/tests/golden/types/typed.c" -o typed \
    "$top_builddir/.libs/libtbuf.so" -Wl,-rpath,"$top_builddir/.libs" ||
    exit 1
mkdir -m 755 theirs
cp typed theirs/typed
chown -R 1001 theirs

# helpers ARGUMENT ...: prints the helper processes of a run, each kind once.
# Types, functions and unwinding each have one.
helpers()
{
	timeout 60 env LD_PRELOAD="$SCRATCH/preload.so" "$TBUFCTL" -q -w \
	    -x ustackunwind -s types.d "$@" 2>&1 >out </dev/null |
	    sed -n 's/	/ /g; s/^helper //p' | sort -u
}
# The script needs a type, the stack and the functions of its frames.
cat >types.d <<'END'
typed:::request-start { trace(stringof(args[0]->path)); ustack(); }
END
nobody='Uid: 65534 65534 65534 65534 NoNewPrivs: 1 Seccomp: 2'
theirs='Uid: 1001 1001 1001 1001 NoNewPrivs: 1 Seccomp: 2'
same 'a command of root' "$nobody" "$(helpers -c ./typed)"
same 'its output' 2 "$(grep -c -e '/index.html' -e 'typed`main' out)"

mkfifo in word
chmod 666 in word
setpriv --reuid 1001 --clear-groups ./theirs/typed wait <in >word &
pid=$!
exec 3>in 4<word
read -r heard <&4
same 'the word of the target' ready "$heard"
cat >types.d <<'END'
BEGIN { system("echo x >in"); }
typed:::request-start { trace(stringof(args[0]->path)); ustack(); exit(0); }
END
same 'a program of another user' "$theirs
$nobody" "$(helpers -p "$pid")"
same 'its output' 2 "$(grep -c -e '/index.html' -e 'typed`main' out)"
exec 3>&- 4<&-
kill "$pid"
wait "$pid" 2>/dev/null

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
