# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# The libc provider is preloaded into -c's command if a description's provider
# field matches it; libraries that are preloaded already remain.
play <<END
show
command 77
exit 77 status 0
END
shown()
{
	ctl "$@" | sed "s|$PWD|DIRECTORY|g"
}
: >libtbuf-libc.so
export TBUF_PROVIDERS=$PWD
cp "$(command -v cat)" plain
cp plain setuid
chmod u+s setuid
cp plain setgid
chmod g+xs setgid
# A program without program headers has no dynamic linker.
cp plain static
printf '\0\0' | dd of=static bs=1 seek=56 conv=notrunc 2>/dev/null
printf '#!%s/static\n' "$PWD" >interpreted
chmod +x interpreted

for description in libc::: libc::malloc:entry 'lib?:::' 'kv:::,libc:::' \
    '[kl]ibc:::x'; do
	shown -q -n "$description" -c ./plain
done
for description in '*:::entry' :::entry malloc:entry kv::: libc; do
	shown -q -n "$description" -c ./plain
done
shown -q -P libc -c ./plain
# A sanitizer's library complains if it is not the first, but still works.
export ASAN_OPTIONS="${ASAN_OPTIONS+$ASAN_OPTIONS:}verify_asan_link_order=0"
export LD_PRELOAD=libm.so.6
shown -q -P libc -c ./plain
unset LD_PRELOAD
shown -q -P libc -c ./setuid
shown -q -P libc -c ./setgid
shown -q -P libc -c ./static
shown -q -P libc -c ./interpreted
shown -q -P kv -c ./static
rm libtbuf-libc.so
shown -q -P libc -c ./plain
# A command is listed before it reaches its main().
shown -l -c ./plain
: >libtbuf-list.so
shown -l -c ./plain
shown -l -P libc -c ./plain
: >libtbuf-libc.so
shown -l -P libc -c ./plain
shown -l -c ./static

# Missing provider files, as in a build tree, are reported.
TBUF_USDT_DIR=$PWD/nowhere shown -q -P usdt -c ./plain
