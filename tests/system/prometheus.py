# SPDX-License-Identifier: BSD-2-Clause
#
# Compares metrics with other figures, for prometheus.sh:
#
#	prometheus.py stat JSON METRICS
#	prometheus.py units JSON METRICS
#	prometheus.py collector METRICS ...
#
# Prints "equal", or a difference.
import json
import re
import socket
import subprocess
import sys
import time
import urllib.request


def parse(lines):
    """Returns {(name, labels): value}; labels are a frozenset of pairs."""
    found = {}
    for line in lines:
        if line.startswith("#") or not line.strip():
            continue
        name, labels, value = re.fullmatch(
            r'(\w+)(?:\{(.*)\})? (\S+)\n?', line).groups()
        pairs = re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels or "")
        # A label that only other samples have is empty to the collector.
        pairs = [(k, str(float(v)) if k == "le" else v)
                 for k, v in pairs if v != ""]
        key = name, frozenset(pairs)
        if key in found:
            print("twice:", key)
        found[key] = float(value)
    return found


def read(*paths):
    return parse(line for path in paths for line in open(path))


def differ(expected, found):
    """Prints the first differences, or "equal"."""
    if expected == found and expected:
        print("equal")
        return
    different = [key for key in set(expected) | set(found)
                 if expected.get(key) != found.get(key)]
    for key in sorted(different, key=str)[:20]:
        print(key, expected.get(key), found.get(key))


def stat(text, metrics):
    expected = {}
    for lane in map(json.loads, open(text)):
        labels = {"pid": lane["pid"], "consumer": lane["consumer"],
                  "consumer_name": lane["consumer_name"],
                  "policy": lane["policy"]}
        if lane["side"] is None:
            labels["cpu"] = lane["cpu"]
        else:
            labels["thread"] = lane["side"]
        if lane["lock"] is not None:
            labels["lock"] = lane["lock"]
        pairs = {(k, str(v)) for k, v in labels.items()}
        for name, field in (("records_total", "records"),
                            ("overwritten_total", "overwritten"),
                            ("fill_bytes", "fill"), ("size_bytes", "size")):
            expected["tbuf_buffer_" + name, frozenset(pairs)] = lane[field]
        for cause in "full", "large", "nolane":
            expected["tbuf_buffer_drops_total",
                     frozenset(pairs | {("cause", cause)})] = lane[cause]
    differ(expected, read(metrics))


def units(text, metrics):
    """Also checks that quantiles of the histogram are near JSON's."""
    found = read(metrics)
    expected = {}
    for kind in map(json.loads, open(text)):
        pairs = frozenset({("program", kind["program"]),
                           ("pid", str(kind["pid"])), ("kind", kind["kind"])})
        for name, field in (("units_total", "units"),
                            ("unit_failures_total", "failures"),
                            ("unit_duration_seconds_count", "units")):
            expected["tbuf_" + name, pairs] = kind[field]
        buckets = sorted(
            (float(dict(labels)["le"]), value)
            for (name, labels), value in found.items()
            if name.endswith("_bucket") and pairs < labels)
        bounds = [2 ** i / 1e9 for i in range(7, 41)] + [float("inf")]
        if [le for le, value in buckets] != bounds:
            print("other bounds", buckets)
        counts = [value for le, value in buckets]
        if counts != sorted(counts) or counts[-1] != kind["units"]:
            print("not cumulative", counts)
        for field, share in ("median", .5), ("p99", .99), ("p999", .999):
            le = next(le for le, value in buckets
                      if value >= share * kind["units"])
            if not le / 2 * 7 / 8 <= kind[field] / 1e9 <= le:
                print(field, kind[field], "is not below", le)
    differ(expected, {key: value for key, value in found.items()
                      if not key[0].endswith("_bucket")})


def serve(arguments):
    """Starts a program with a free port in its arguments; returns the port."""
    while True:
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        program = subprocess.Popen(
            [a.replace("PORT", str(port)) for a in arguments],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while program.poll() is None:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/").close()
                return program, port
            except OSError:
                time.sleep(0.02)


def get(port, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}") as answer:
        return answer.read().decode()


def collector(*paths):
    program, port = serve([
        "prometheus-node-exporter", "--web.listen-address=127.0.0.1:PORT",
        "--collector.disable-defaults", "--collector.textfile",
        "--collector.textfile.directory=" + paths[0].rsplit("/", 1)[0]])
    found = parse(get(port, "/metrics").splitlines())
    program.kill()
    program.wait()
    if found.get(("node_textfile_scrape_error", frozenset())) != 0:
        print("the collector has an error")
    expected = read(*paths)
    # A histogram without a sum gets one that is 0.
    differ(expected, {key: value for key, value in found.items()
                      if re.match("tbuf|kv", key[0]) and (key in expected or
                      value != 0 or not key[0].endswith("_sum"))})


{"stat": stat, "units": units, "collector": collector}[sys.argv[1]](*sys.argv[2:])
