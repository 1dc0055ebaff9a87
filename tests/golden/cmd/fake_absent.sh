# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

play </dev/null

# A command that is not there is reported before anything else.
ctl -c nosuch -s nosuch.d
ctl -c ./nosuch -n 'BEGIN { exit; }' -o made
ctl -l -c nosuch -n 'kv:::{'
# A script is there, and its interpreter is not.
printf '#!/nosuch/interpreter -x\n' >script
printf '#!/bin/sh\r\n' >carriage
chmod +x script carriage
ctl -c ./script -n 'BEGIN { exit; }' -o made
PATH=$PWD:$PATH ctl -c carriage -n 'BEGIN { exit; }'
: >plain
ctl -c ./plain -n 'BEGIN { exit; }'
PATH=$PWD:$PATH ctl -c plain -n 'BEGIN { exit; }'
ctl -c . -n 'BEGIN { exit; }'
ctl -c plain/x -n 'BEGIN { exit; }'
ctl -c '""' -n 'BEGIN { exit; }'
[ ! -e made ] || echo "the output was opened"
