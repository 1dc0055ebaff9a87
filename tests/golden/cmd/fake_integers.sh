# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# Integers have every length, at both ends of each; strings are scanned eight
# bytes at a time.
cat >values.py <<'END'
import sys

integers = [n for k in range(20) for n in (10**k - 1, 10**k, 10**k + 1,
    10**k * 7 // 3)] + [2**64 - 1]
integers = [n for n in integers if n < 2**64]
signed = [s * n for n in integers if n < 2**63 for s in (1, -1)] + [-2**63]
special = ['"', '\\', '\n', '\x7f', '\x1f', '\u00e9', ' ', '~']
strings = ["x" * i + c + "y" * j for c in special for i in range(10)
    for j in (0, 7, 8)]

def script(text):
    return '"' + "".join("\\x%02x" % b for b in text.encode()) + '"'

def shown(text):
    for a, b in ('\\', '\\\\'), ('"', '\\"'), ('\n', '\\n'):
        text = text.replace(a, b)
    return text.replace("\x7f", "\\x7f").replace("\x1f", "\\x1f")

values = [(1, str(n), str(n)) for n in integers]
values += [(2, str(n), str(n)) for n in signed]
values += [(3, script(s), '"' + shown(s) + '"') for s in strings]
if sys.argv[1] == "write":
    print("target 1 x\nprobe 1 p m f u uint64:a\nprobe 2 p m f i int64:a\n"
        "probe 3 p m f s string:a")
    for id, written, _ in values:
        print("record 1 1 0", id, "1 1", written)
else:
    lines = sys.stdin.read().split("\n")[:-1]
    for line, (_, written, expected) in zip(lines, values):
        if line != "a=" + expected:
            print(written, "is printed as", line)
    print(len(values) - len(lines), "of", len(values), "are missing")
END
python3 values.py write >script
"$TBUFCTL_FAKE" -q -n p::: 2>/dev/null | python3 values.py check
"$TBUFCTL_FAKE" --format=json -n p::: 2>/dev/null | python3 -c '
import json, sys
sys.argv = ["", "check"]
records = [json.loads(line) for line in sys.stdin][:-1]
for r in records:
    a = r["args"]["a"]
    if isinstance(a, str):
        for x, y in ("\\", "\\\\"), ("\"", "\\\""), ("\n", "\\n"):
            a = a.replace(x, y)
        a = "\"" + a.replace("\x7f", "\\x7f").replace("\x1f", "\\x1f") + "\""
    print("a=" + str(a))' | python3 values.py check
