# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# The command of -c is split at blanks, with '...', "..." and \, without a
# shell.
play <<END
show
command 77
exit 77 status 0
END
mkdir bin
for name in a x 'a b'; do
	ln -s /bin/true "bin/$name"
done
PATH=$PWD/bin:$PATH
ctl -q -n kv::: -c 'ls -l /tmp'
ctl -q -n kv::: -c '  a	b  '
ctl -q -n kv::: -c "printf '%s \$HOME' 'a\\b' ''"
ctl -q -n kv::: -c 'x "a b" "c\"d" "e\\f" "g\h" "i'"'"'j"'
ctl -q -n kv::: -c 'a\ b c\\d \"e pre"mid"post'
ctl -q -n kv::: -c 'ls *.c | wc; true > x && $HOME `id`'
