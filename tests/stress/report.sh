#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A page of 2 million records of kvd (RECORDS) has at most 8 bytes for each, is
# drawn in 2 seconds, and moves by a step in 16 ms, at 99 % of 600 steps.  A step
# is the script and the pixels, which createImageBitmap() waits for; frames
# themselves come 60 times a second at most.  The times need a machine that does
# nothing else.  Texts may be a million different ones.

set -u
. "${top_srcdir:?}/tests/lib/scratch.sh"
: "${TBUFCTL:?}" "${top_builddir:?}"
fake=$top_builddir/tests/golden/cmd/tbufctl-fake
for program in chromium python3; do
	command -v $program >/dev/null || { echo "no $program"; exit 77; }
done
records=${RECORDS-2000000}
TBUF_DIR=$SCRATCH_SHM
export TBUF_DIR
unset TBUF_OPTIONS TBUF_DISABLE TBUF_KEEP TBUF_MAXSIZE
cd "$SCRATCH" || exit 1
failed=0

fail()
{
	echo "FAIL: $*"
	failed=1
}

cat >steps <<'E2'
(async () => {
	const marks = Object.fromEntries(performance.getEntriesByType("mark")
		.map(m => [m.name, m.startTime])), times = [];
	const drawn = ["canvas", "overview"].map(id =>
		document.getElementById(id));
	report.zoom(1e9);
	for (let i = 0; i < 600; i++) {
		if (i % 8 < 5)
			report.zoom(0.7, 300 + i % 9 * 100);
		else if (i % 8 < 7)
			report.pan(i % 2 ? 0.3 : -0.2);
		else if (i % 40 === 7)
			report.zoom(1e9);
		await new Promise(done => requestAnimationFrame(done));
		const begin = performance.now();
		report.draw();
		await Promise.all(drawn.map(c => createImageBitmap(c)));
		times.push(performance.now() - begin);
	}
	times.sort((a, b) => a - b);
	return [marks.drawn, times[300], times[594]];
})()
E2

# page NAME RECORDS: prints how the page of this name does.
page()
{
	timeout 300 python3 "$top_srcdir/tests/formats/browser.py" "$1.html" \
	    "$(cat steps)" >figures 2>&1 || fail "$1: $(cat figures)"
	python3 - "$1" "$(wc -c <"$1.html")" "$2" <<'E2'
import json
import sys
drawn, middle, most = json.load(open('figures'))
size = int(sys.argv[2]) / int(sys.argv[3])
print(f'{sys.argv[1]}: {size:.1f} bytes a record, drawn in {drawn:.0f} ms,'
      f' a step {middle:.1f} ms, 99 % {most:.1f} ms')
sys.exit(drawn > 2000 or most > 16)
E2
}

TBUF_OPTIONS='bufsize=128m,probes=kv:::request-start;kv:::request-done' \
    "$top_builddir/examples/kvd" socket >/dev/null 2>&1 &
pid=$!
until [ -S socket ]; do
	:
done
"$top_builddir/examples/kvload" --requests=$((records / 2)) --connections=4 \
    --seed=1 socket >load || fail "$(cat load)"
kill -9 $pid
wait $pid 2>/dev/null
"$TBUFCTL" --read=$pid --report=kvd.html 2>errors || fail "$(cat errors)"
grep -q "^tbufctl: total: $records records, 0 overwritten, 0 drops" errors ||
    fail "$(cat errors)"
rm -f "$SCRATCH_SHM"/tbuf.*
page kvd "$records" || fail 'kvd: too slow'
[ "$(wc -c <kvd.html)" -le $((8 * records)) ] || fail 'kvd: too large'

{
	echo 'target 5000000 kvd
probe 1 kv kvd f key string:key
enabling 0'
	awk -v n=$((records / 2)) 'BEGIN {
		for (i = 0; i < n; i++)
			print "record 5000000 101 0 1 " 1000 + i " " i " key" i
	}'
} >script
TBUF_FAKE=script "$fake" --read=file --report=texts.html 2>errors ||
    fail "$(cat errors)"
page texts $((records / 2)) || fail 'texts: too slow'
exit $failed
