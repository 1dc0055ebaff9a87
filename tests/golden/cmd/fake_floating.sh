# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# Floating point numbers have the shortest decimal that reads back as the same
# number.
play <<'END'
target 100 kvd
probe 1 kv kvd serve doubles double:a double:b double:c double:d double:e
probe 2 kv kvd serve floats float:a float:b float:c float:d float:e
record 1 1 0 1 1 1 9.99 0.1 100 1e15 123456789012345680
record 1 1 0 1 1 1 5e-324 1.7976931348623157e308 5.684341886080802e-14 -0.0 9007199254740993
record 1 1 0 2 1 1 9.99 0.1 100 1e6 16777216
record 1 1 0 2 1 1 1e-45 3.4028235e38 8.589973e9 -0.0 0.3333333333
END
ctl -q -n kv:::
ctl -q -n kv::: --format=json
LC_ALL=de_DE.UTF-8 ctl -q -n kv:::

cat >numbers.py <<'END'
"""Random numbers, powers of two and of ten: write a script, check the lines."""
import random, struct, sys

def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]

def digits(text):
    mantissa = text.lstrip("-").lower().split("e")[0].replace(".", "")
    return len(mantissa.strip("0")) or 1

def fewest(value, read):
    """Of all decimals of so many digits, does one read back?"""
    for n in range(1, 18):
        mantissa, exponent = ("%.*e" % (n - 1, value)).split("e")
        scale = int(mantissa.replace(".", ""))
        for near in (scale - 1, scale, scale + 1):
            text = "%de%d" % (near, int(exponent) - n + 1)
            if read(text) == value:
                return n

def read_single(text):
    try:
        return single(float(text))
    except OverflowError:
        return None

random.seed(1)
doubles = [struct.unpack("d", random.randbytes(8))[0] for _ in range(3000)]
doubles += [random.uniform(-1000, 1000) for _ in range(1000)]
doubles += [round(random.uniform(0, 1000), 2) for _ in range(1000)]
doubles += [2.0 ** n for n in range(-1074, 1024)]
doubles += [10.0 ** n for n in range(-300, 309)]
doubles = [x for x in doubles if x - x == 0]
floats = [struct.unpack("f", random.randbytes(4))[0] for _ in range(3000)]
floats += [single(round(random.uniform(0, 1000), 2)) for _ in range(1000)]
floats += [2.0 ** n for n in range(-149, 128)]
floats = [x for x in floats if x - x == 0]
if sys.argv[1] == "write":
    print("target 1 x\nprobe 1 p m f d double:a\nprobe 2 p m f f float:a")
    for id, numbers in (1, doubles), (2, floats):
        for x in numbers:
            print("record 1 1 0", id, "1 1", repr(x))
else:
    lines = sys.stdin.read().split()
    wrong = len(lines) != len(doubles) + len(floats)
    for i, text in enumerate(lines):
        text = text[2:]
        if i < len(doubles):
            x, read = doubles[i], float
        else:
            x, read = floats[i - len(doubles)], read_single
        if read(text) != x or digits(text) != fewest(x, read):
            print(repr(x), "is printed as", text)
            wrong = True
    print("wrong" if wrong else "all shortest")
END
python3 numbers.py write >script
"$TBUFCTL_FAKE" -q -n p::: 2>&1 | grep -v '^tbufctl:' |
    python3 numbers.py check
