# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# The likely name is suggested for a misspelt word.
echo "matched 0 0 0 0 0 0 0 0
$probes
probe 3 store kvd set done" | play
ctl -n kv:::request-strat
ctl -n request-dnoe -P kw -m kdv -f srve -m kv:kdv
# The nearest name is suggested; globs and empty fields remain; no probe has the
# id.
ctl -n 'k?::sreve:request-*' -n 'kv:::request-stara' -n '::server:' -i 9
# The words of a list are handled one by one.
ctl -n 'kw:::,kx:::request-strat , elsewhere' -f srve,sreve
# No name is near.
ctl -n request -n quest-start -n x -n 'kv*:::strat' -n nowhere,neither -n k
ctl -l -n request-strat
ctl -l -n '[k]w:::request-start'
ctl --fromat=json -n kv:::
ctl --wiht pid -n kv:::
ctl --nonsense
ctl -x bufszie=4k -n kv:::
ctl -x strszie -n kv:::
ctl -x zdef -n kv:::
ctl -x quite -n kv:::
ctl -x bufer -n kv:::

# Options of other tools, and parts of names.
ctl --pid 5 -n kv:::
ctl --list
ctl --output=x -n kv:::
ctl --json
ctl --policy=ring
ctl --strsize 4k
ctl -x policy=ring -n kv:::
ctl -x size=4k -n kv:::
ctl -x polic=ring -n kv:::
ctl -x pol=ring -n kv:::
ctl -x polcy=ring -n kv:::
ctl -x sorkey -n kv:::
ctl -x perpcu -n kv:::
ctl -x packs -n kv:::
ctl --polcy=ring
ctl polcy=ring -n kv:::
ctl -x fooo -n kv:::
ctl policy=ring -n kv:::
ctl -n kv::: bufsize=4k
ctl -n kv::: nosuch=4k

# A timer that does not exist has its form told, once for a list.
ctl -n tick-5x
ctl -n 'tick-5001, profile-1ns,kv:::'
ctl -n 'profile:::profile-0 { exit(0); }'
ctl -l -n tick
ctl -n kv:::tick-5x
