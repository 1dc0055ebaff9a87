# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# What was probably meant by a word with a slip in it.
echo "matched 0 0 0 0 0 0 0 0
$probes
probe 3 store kvd set done" | play
ctl -n kv:::request-strat
ctl -n request-dnoe -P kw -m kdv -f srve -m kv:kdv
# The nearest; a glob stands, an empty field too; the id is none's.
ctl -n 'k?::sreve:request-*' -n 'kv:::request-stara' -n '::server:' -i 9
# Of a list, one by one.
ctl -n 'kw:::,kx:::request-strat , elsewhere' -f srve,sreve
# Nothing is near.
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
