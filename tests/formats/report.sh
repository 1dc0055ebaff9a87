#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A page of --report has the records that --format=json has, and texts of
# programs stay texts in it.  Its file is replaced as a whole.  Where Chromium
# is installed, it shows them, and asks for nothing.

set -u
. "${top_srcdir:?}/tests/lib/scratch.sh"
: "${TBUFCTL:?}" "${TBUFCTL_FAKE:?}" "${top_builddir:?}"
. "$top_srcdir/tests/lib/tbufctl.sh"
command -v python3 >/dev/null || { echo 'no python3'; exit 77; }
TBUF_DIR=$SCRATCH/dir
export TBUF_DIR
unset TBUF_OPTIONS TBUF_DISABLE TBUF_KEEP TBUF_MAXSIZE
cd "$SCRATCH" || exit 1
mkdir -m 700 dir
failed=0

fail()
{
	echo "FAIL: $*"
	failed=1
}

# compare NAME FILE [ABOUT]: compares NAME.html with NAME.json.
compare()
{
	python3 "$top_srcdir/tests/formats/report.py" "$1.html" "$1.json" \
	    ${2+"$2"} >"$1.compared" 2>&1 || fail "$1: $(cat "$1.compared")"
}

# play NAME: makes both of a script of the fake consumer.
play()
{
	TBUF_FAKE=$PWD/$1
	export TBUF_FAKE
	"$TBUFCTL_FAKE" --read=file --format=json >"$1.json" 2>>errors ||
	    fail "$1: JSON"
	"$TBUFCTL_FAKE" --read=file --report="$1.html" 2>>errors ||
	    fail "$1: page"
	compare "$1"
}

# code PAGE: prints the page without the data.
code()
{
	sed '/^<script id="data"/s/>[^<]*</></' "$1"
}

# ------------------------------------------------------ hostile texts

cat >hostile <<'E2'
target 5000000 "</script>"
target 5000001 "a/../b"
probe 1 kv "../../etc" "</title>" request-start uint64:id string:s
probe 2 kv "../../etc" "</title>" request-done uint64:id string:s
probe 3 kv kvd "a\"'\\" "<img src=x onerror=alert(1)>" string:s binary:b
probe 4 kv kvd f numbers int8:a int64:b uint64:c char:d bool:e float:f double:g pointer:h
probe 5 "__proto__" constructor f hasOwnProperty int32:__proto__ string:constructor
probe 6 kv kvd f nothing
enabling 0
record 5000000 101 0 1 1000 1001000 7 "</script><script>alert(1)</script>"
record 5000000 101 0 3 1010 1001010 "\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xae" "\x00\xff"
record 5000000 101 0 3 1020 1001020 "\xff\xfe\xc3" ""
record 5000000 101 0 3 1030 1001030 "\"'\n\r\t\\\x00\x1b" "</script>"
record 5000000 101 0 3 1040 1001040 NULL NULL
record 5000000 101 0 3 1050 1001050 "<!--" "]]>"
record 5000000 101 0 2 1060 1001060 7 "${x}`&lt;"
record 5000000 101 0 4 1070 1001070 -128 -9223372036854775808 18446744073709551615 65 true 0.1 1e300 0x7fffffffffff
record 5000000 101 1 4 1080 1001080 127 9223372036854775807 0 -1 false -inf nan 0
record 5000000 101 0 5 1090 1001090 5 "__proto__"
record 5000001 201 0 6 1100 1001100
# Times that are equal, and that go back on another thread.
record 5000001 202 0 1 1100 1001100 8 x
record 5000001 202 0 2 1100 1001100 8 x
record 5000001 203 0 1 900 1000900 9 x
drops 5000000 0 full 3 1030 1040
drops 5000001 1 large 4 0 0
overwritten 5000000 1 6 0 1080
damage 5000000 0 77 1080 0
record 5000001 203 0 2 1110 1001110 9 x
record 5000001 203 0 6 1115 1001115
E2
play hostile
# A page without a record.
echo 'target 5000000 none' >none
play none

# Many different texts, each once.
{
	echo 'target 5000000 kvd
probe 1 kv kvd f key string:key
enabling 0'
	awk 'BEGIN {
		for (i = 0; i < 50000; i++)
			print "record 5000000 101 0 1 " 1000 + i " " i " key" i
	}'
} >keys
play keys
unset TBUF_FAKE

code none.html >none.code
for page in hostile keys; do
	code $page.html >$page.code
	cmp -s none.code $page.code ||
	    fail "$page: texts are outside of the data"
done
size=$(wc -c <none.code)
[ "$size" -le 30720 ] || fail "the page has $size bytes of code"

# ------------------------------------------------------ real records

# serve NAME OPTION: kvd records itself, and ends; $file has its records.
serve()
{
	rm -f socket
	TBUF_OPTIONS="bufsize=1m,probes=kv:::$2" \
	    "$top_builddir/examples/kvd" socket >/dev/null 2>&1 &
	pid=$!
	until [ -S socket ]; do
		:
	done
	"$top_builddir/examples/kvload" --requests=2000 --connections=2 \
	    --seed=1 socket >load || fail "$(cat load)"
	make_both "$1-live" --snapshot=$pid
	kill -9 $pid
	wait $pid 2>/dev/null
	file=$(ls dir/tbuf.$pid.*)
	make_both "$1" --read="$file"
}

# make_both NAME OPTION ...: makes a page and JSON of real records.
make_both()
{
	name=$1
	shift
	"$TBUFCTL" "$@" --report="$name.html" 2>>errors || fail "$name: page"
	"$TBUFCTL" "$@" --format=json >"$name.json" 2>>errors ||
	    fail "$name: JSON"
	compare "$name" about
}

serve units ',nunits=64'
serve read ''
make_both clause --read="$file" -n \
    'kv:::request-start { trace(arg0); printf("</script>%d", arg0); }'

make_both sums --read="$file" -n \
    'kv:::request-start {
	@n[op, arg0 % 3] = count();
	@q["</script>\"\342\200\250"] = quantize(bytes);
	@l[-1] = lquantize(id, 0, 100, 50);
	@ = sum(bytes);
	@t["printed"] = count(); }
    END { @never[1] = count(); printa("%@d", @t); }'
[ "$(grep -c '"type":"aggregation"' sums.json)" -gt 8 ] || fail 'no sums'

# ------------------------------------------------------ the file

# refused NAME OPTION ...: is refused with the status 2 and one line.
refused()
{
	"$TBUFCTL" "$@" >out 2>err
	[ $? -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && [ ! -s out ] ||
	    fail "$*: $(cat err)"
}

refused --report=x -n kv:::
refused --report= --read="$file"
refused --report=x --report=y --read="$file"
for other in '-o y' --format=json --format=folded --format=chrome -l -F -h -G \
    --stat --left --units --set=unitslow=1 --unwrap=1 --object=x '-c true' \
    '-p 1' --format=prometheus; do
	# shellcheck disable=SC2086
	refused --report=x --read="$file" $other
done
[ ! -e x ] && [ ! -e y ] || fail 'a refused run has made a file'

mkdir folder
"$TBUFCTL" --read="$file" --report=folder 2>err && fail 'over a directory'
rmdir folder || fail 'the directory is not empty'
"$TBUFCTL" --read="$file" --report=folder/x 2>err && fail 'in no directory'
echo before >old.html
"$TBUFCTL" --read=nothing --report=old.html 2>err && fail 'of no file'
[ "$(cat old.html)" = before ] || fail 'a run that failed has changed the file'
(
	# Blocks of 512 bytes: the page does not fit.
	trap '' XFSZ
	ulimit -f 20
	"$TBUFCTL" --read="$file" --report=old.html 2>err
) && fail 'without room'
grep -q 'failed to write old.html: File too large' err || fail "$(cat err)"
[ "$(cat old.html)" = before ] || fail 'without room the file has changed'
"$TBUFCTL" --read="$file" --report=/dev/full 2>err && fail 'to /dev/full'
grep -q 'failed to write /dev/full: No space left' err || fail "$(cat err)"
chmod 600 old.html
"$TBUFCTL" --read="$file" --report=old.html 2>>errors || fail 'over a file'
[ "$(stat -c %a old.html)" = 600 ] || fail 'the mode has changed'
code old.html | cmp -s - hostile.code || fail 'over a file: another page'
[ "$(echo old.html*)" = old.html ] || fail "left: $(echo old.html*)"

# ------------------------------------------------------ the browser

if [ $failed -ne 0 ]; then
	cat errors
	exit 1
fi
if ! command -v chromium >/dev/null; then
	echo 'no chromium: the page itself was not opened'
	exit 0
fi

# ask PAGE EXPRESSION EXPECTED
ask()
{
	got=$(timeout 120 python3 "$top_srcdir/tests/formats/browser.py" \
	    "$1.html" "$2" 2>&1) && [ "$got" = "$3" ] ||
	    fail "$1: $2: $got, expected $3"
}

counts='Object.fromEntries([...document.querySelectorAll("#records tr")]
    .map(r => [...r.cells].map(c => c.textContent)).sort())'
ask read "$counts" "$(python3 -c '
import collections, json
counts = collections.Counter()
for line in open("read.json"):
    r = json.loads(line)
    if r["type"] == "record":
        counts[":".join(r[k] for k in ("provider", "module", "function",
            "name"))] += 1
print(json.dumps({k: f"{n:,}" for k, n in sorted(counts.items())}))')"
ask sums 'Object.fromEntries([...document.querySelectorAll("#records tr")]
    .map(r => [...r.cells].map(c => c.textContent))
    .filter(r => r[0].includes("</script>")).slice(0, 1))' "$(python3 -c '
import json
for line in open("sums.json"):
    r = json.loads(line)
    if r.get("name") == "@q":
        low, count = r["value"][0]
        print(json.dumps({"@q[\"</script>\\\"\\u2028\"] "
            f"{low} .. {2 * low - 1}": f"{count:,}"}))')"
# No text has become an element, or has run.  Arguments are shown as they are.
ask hostile '{
	const [track, names] = report.names()[0];
	report.search("<!--");
	const found = document.getElementById("matches").textContent;
	report.select(track, names.findIndex(n => n.startsWith("<img")));
	[document.scripts.length, document.images.length, found,
		[...document.querySelectorAll("#selected .text")].slice(1)
		.map(e => e.textContent)]
}' '[1, 0, "1 match", ["kv:kvd:a\"'"'"'\\:<img src=x onerror=alert(1)>  CPU 0, thread 101", "\"\\u2028\\u2029\\u202e\"", "\"hex:00ff\""]]'
# Keys select and search; the pointer shows arguments.
ask read '{
	const selected = document.getElementById("selected"), seen = [];
	const key = k => document.body.dispatchEvent(
		new KeyboardEvent("keydown", { key: k, bubbles: true }));
	const chosen = () => selected.querySelector("strong")?.textContent;
	key(".");
	seen.push(chosen() !== undefined);
	report.search("id=77");
	key("n");
	seen.push(chosen(), selected.textContent.includes("77"));
	key("Enter");
	report.draw();
	const box = document.getElementById("canvas").getBoundingClientRect();
	let tip = "";
	for (let y = box.top + 30; y < box.bottom && !tip.includes("id=77");
	    y += 5) {
		document.getElementById("canvas").dispatchEvent(
			new PointerEvent("pointermove", { bubbles: true,
			clientX: box.left + 84 + box.width / 2, clientY: y }));
		tip = document.getElementById("tip").textContent;
	}
	seen.push(tip.includes("id=77"));
	key("Escape");
	seen.push(chosen() === undefined);
	seen
}' '[true, "request", true, true, true]'
ask none 'document.getElementById("summary").textContent.slice(0, 11)' \
    '": 0 records"'
exit $failed
