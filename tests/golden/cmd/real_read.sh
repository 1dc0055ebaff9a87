# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# file PID: prints the path of its control file.
file()
{
	echo "$TBUF_DIR/tbuf.$1."*
}

named()
{
	sed -e "s|$TBUF_DIR/tbuf\.[0-9]*\.[0-9a-f]*|FILE|g" -e "s|$TBUF_DIR|DIR|g"
}

# sum OUT ERR: each record is a line, or was overwritten.
sum()
{
	normal <$2 | named | grep -v -e total -e overwritten
	set -- "$1" $(total $2)
	echo "$(($2 + $3)) in all, $4 drops"
	[ $(wc -l <"$1") -eq $2 ] || echo "$2 records, $(wc -l <"$1") lines"
}

# A target is killed after its consumer: its ring can be read.
start 3 4 enabled fire=1000 say=fired wait
"$TBUFCTL" -x bufpolicy=ring -b 1k -n count -p $target >out 2>&1 &
ctl=$!
tell 3
hear 4 fired
# The file is read while the target is traced.
"$TBUFCTL" -q --read "$(file $target)" >live 2>err
echo "= $?"
sum live err
tail -n 1 live
kill -KILL $ctl
wait $ctl 2>/dev/null
kill -KILL $target
wait $target 2>/dev/null

# Readers do not remove the file.
ctl -l
"$TBUFCTL" --stat | wc -l
ctl -q -Z -n count -c true
for look in "-n count -p $target" "--read $(file $target)" \
    "--read $(file $target) -n count -x temporal"; do
	"$TBUFCTL" -q $look >dead 2>err
	echo "= $?"
	cmp live dead
	sum dead err
done
"$TBUFCTL" --format=json --read "$(file $target)" -o json
echo "= $?"
tail -n 3 json | normal | sed 's/"\(overwritten\|count\|records\|before\)":[0-9]*/"\1":N/g'
# An id is the one that -l lists, with or without descriptions.
id=$("$TBUFCTL" -l -p $target 2>/dev/null | awk '$5 == "count" { print $1 }')
echo "ids other than that of -l:" $(grep '"record"' json | grep -vc "\"id\":$id,")
"$TBUFCTL" -l -p $target 2>&1 | sed '/^ *[0-9]/s/.* //' | normal | sort
ctl --read "$(file $target)" -n nosuch 2>&1 | named
# The records of a file that is given twice would count twice.
ctl -q --read "$(file $target)" --read "$(file $target)" | named
"$TBUFCTL" --read "$(file $target)" -q -Z -n nosuch 2>err | wc -l

# A dead and a live target are read together.
dead=$target
start 5 6 enabled fire=2 say=fired wait
"$TBUFCTL" -q -n count -p $dead -p $target >both 2>err &
tell 5
hear 6 fired
tell 5
wait $!
echo "= $?"
sum both err
grep -c 'number=[12] ' both

# Files that cannot be read are reported.
ctl --read nosuch
ctl --read /dev/null
echo text >text
ctl --read text
ctl --read .
rm "$(file $dead)"
ctl -n count -p $dead
start 7 8
ctl --read "$(file $target)" | named
tell 7

# Where nothing records, the messages say how a program would.
mkdir -m 700 empty
export TBUF_DIR=$PWD/empty
ctl --snapshot
ctl --units
