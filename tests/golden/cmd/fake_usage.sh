# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# Bad usage prints one line with the error, and exits with 2.
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
ctl -P kv '{ exit(0); }'
ctl -x errtags -n kv::: /1/ '/2/ { exit(0); }'
ctl -n kv::: -p 0
ctl -n kv::: -p 12x
ctl -n kv::: -p 99999999999
ctl -i 0
ctl -i x
ctl -n kv::: --format=xml
ctl -n kv::: --with=time,when
ctl -n kv::: --with=
ctl -n kv::: -c true -c false
ctl -n kv::: -c ''
ctl -n kv::: -c "ls 'x"
ctl -n kv::: -c 'ls "x'
ctl -n kv::: -c 'ls \'
ctl -n a:b:c:d:e
ctl -P a:b
ctl -m a:b:c
ctl -f a:b:c:d
ctl -n 'a:b:c:d:e[' -c true
ctl -n kv:::,
ctl -P ',kv'
ctl -n 'a, ,b'
ctl --stat=x
ctl --stat=0
ctl --stat 0
ctl --stat=1s 2s
ctl --stat 1s 2s
ctl --stat -x nonsense
ctl --stat -b big
ctl --stat -l
ctl --stat -c true
ctl --stat -n kv:::
# The name of a file must not be empty.
for mode in --read= --core= --report= --unwrap= '-l --object='; do
	ctl $mode
done
# Two modes cannot be combined.
for mode in --set=traceLevel=debug --unwrap=7 '-h -s x' '-G -s x' \
    '-l --object=x'; do
	for other in --units --stat --left; do
		ctl $mode $other
	done
done
ctl -h --object=x -s x
# Similar names are suggested for options of programs, too.
for x in nunit unitsiz=1k unitselec dynvarsiz specsiz cleanrat usd=x; do
	ctl -x $x -n kv:::
done
# A mode refuses options that have no effect in it, and says so.
for mode in -l -l~--object=x --read=file --core=file --snapshot --stat --left \
    --units --units=1:2 --units=hung --unwrap=1 --set=traceLevel=debug \
    -h~-sx --read=file~--report=x; do
	refused=
	for option in --follow -x~follow -x~bufsize=4k -b~4k -w -F -e -v -Z -C \
	    --with=time --format=log --format=folded --format=json -x~quiet \
	    -o~out; do
		"$TBUFCTL_FAKE" $(echo "$mode $option" | tr '~' ' ') 2>&1 |
		    grep -q 'does not go with' && refused="$refused $option"
	done
	echo "$mode refuses$refused" | tr '~' ' '
done
for mode in -l --left '--read=file --report=x' '--units=1:2'; do
	ctl $mode --follow
	ctl $mode -x cpu=1 -x follow
done
ctl --read=file -b 4k
ctl --unwrap=1 -w
# Views and metrics do not have the fields of --with.
for format in chrome perfetto otlp prometheus; do
	ctl --with=time --format=$format -n kv:::
done
# Options of the environment are for all runs.
DTRACE_OPT_FOLLOW=1 DTRACE_OPT_CPU=1 DTRACE_OPT_FLOWINDENT=1 \
    DTRACE_OPT_DESTRUCTIVE=1 ctl --left
# A class or a backslash without an end is refused before a flag's suffix is
# added, which would be taken as a part of it.
for flag in -n -P; do
	for list in 'kv\' 'kv[]' 'kv[!' 'a,kv[\]'; do
		ctl $flag "$list"
	done
done
ctl -n 'kv:::[]]x[!]]\\'
# Aggregations are in D programs.
ctl -x aggtop -n kv:::
ctl --format=folded -n kv:::
ctl --fo=json -l
ctl --s -l
ctl -33 -l
ctl -68 -l
ctl -L absent -n kv:::
ctl -l --check=. -n kv:::
ctl -l --check=absent -n kv:::
ctl -L "$TBUFCTL_FAKE" -n kv::: | sed "s,$TBUFCTL_FAKE,FILE,"
# Names of files are not empty, and a recording has no other output.
ctl -s ''
ctl -o '' -l
ctl --record=recording -o out -n kv:::
