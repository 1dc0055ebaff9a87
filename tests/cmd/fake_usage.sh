# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# Bad usage: one line that says which, a hint where the syntax is wrong, 2.
play </dev/null
ctl
ctl -q
ctl -z
ctl --nonsense
ctl -n
ctl -n kv::: -p
ctl --format
ctl --help=x
ctl --follow=yes -n kv:::
ctl -n kv::: ls -l
ctl -n kv::: -p 0
ctl -n kv::: -p 12x
ctl -n kv::: -p 99999999999
ctl -i 0
ctl -i x
ctl -n kv::: --format=xml
ctl -n kv::: --with=time,date
ctl -n kv::: --with=
ctl -n kv::: -c true -c false
ctl -n kv::: -c ''
ctl -n kv::: -c "ls 'x"
ctl -n kv::: -c 'ls "x'
ctl -n kv::: -c 'ls \'
ctl -n a:b:c:d:e
ctl -P a:b
ctl --stat=x
ctl --stat=0
ctl --stat -l
ctl --stat -c true
ctl --stat -n kv:::
ctl --stat --format=json
ctl -l --format=json
ctl -l -c true
