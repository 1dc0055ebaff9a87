# SPDX-License-Identifier: BSD-2-Clause
#
# Compares metrics with other figures, for prometheus.sh:
#
#	prometheus.py stat JSON METRICS
#	prometheus.py units JSON METRICS
#	prometheus.py run JSON METRICS
#	prometheus.py hosts COUNT SCRIPT VALUES		(makes the last two)
#	prometheus.py quantiles VALUES METRICS
#	prometheus.py collector METRICS ...
#
# Prints "equal", or a difference.
import json
import os
import random
import re
import socket
import subprocess
import sys
import time
import urllib.parse
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


def same(one, other):
    """Each reader converts ticks anew, to the nanosecond next to a time."""
    if isinstance(one, float) and isinstance(other, float):
        return one == other or abs(one - other) < 2e-9
    return one == other


def differ(expected, found):
    """Prints the first differences, or "equal"."""
    different = [key for key in set(expected) | set(found)
                 if not same(expected.get(key), found.get(key))]
    if not different and expected:
        print("equal")
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
                           ("pid", str(kind["pid"])), ("kind", kind["kind"]),
                           ("consumer", str(kind["consumer"]))})
        for name, field in (("units_total", "units"),
                            ("unit_failures_total", "failures"),
                            ("unit_slow_total", "slow"),
                            ("unit_duration_seconds_count", "units")):
            expected["tbuf_" + name, pairs] = kind[field]
        # As the programs know it: nanoseconds, and a number of seconds.
        expected["tbuf_unit_duration_seconds_sum", pairs] = kind["sum"] / 1e9
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


def expect(expected, name, labels, value):
    expected[name, frozenset((k, str(v)) for k, v in labels.items()
                             if v != "")] = value


def run(text, metrics):
    """Compares with the JSON of the same script."""
    expected, found = {}, read(metrics)
    drops = dict.fromkeys(("full", "large", "nolane"), 0)
    sums = {}
    consumer = next(dict(labels)["consumer"] for name, labels in found
                    if name == "tbuf_run_records_total")
    for line in map(json.loads, open(text)):
        if line["type"] == "drops":
            drops[line["cause"]] += line["count"]
        elif line["type"] == "total":
            for name in "records", "overwritten":
                expect(expected, f"tbuf_run_{name}_total",
                       {"consumer": consumer}, line[name])
            if line["drops"] != sum(drops.values()):
                print("other drops", line, drops)
        elif line["type"] == "aggregation":
            keys, value = line["keys"], line["value"]
            if line["name"] == "@n":
                expect(expected, "kv_requests_total",
                       {"pid": keys[0], "op": keys[1]}, value)
            elif line["name"] == "@s":
                sums[keys[0]] = value
                for name in "kv_request_bytes", "kv_request_mean_bytes":
                    expect(expected, name + "_sum", {"op": keys[0]}, value)
            elif line["name"] == "@b":
                counts = dict(value)
                for name in "kv_request_bytes", "kv_request_mean_bytes":
                    expect(expected, name + "_count", {"op": keys[0]},
                           sum(counts.values()))
                for i in range(41):
                    low = 0 if i == 0 else 2 ** (i - 1)
                    high = 2 ** i - 1
                    expect(expected, "kv_request_bytes_bucket",
                           {"op": keys[0], "le": float(high)},
                           sum(n for at, n in counts.items() if at <= low))
                expect(expected, "kv_request_bytes_bucket",
                       {"op": keys[0], "le": "inf"}, sum(counts.values()))
    for cause, count in drops.items():
        expect(expected, "tbuf_run_drops_total",
               {"consumer": consumer, "cause": cause}, count)
    for cause in ("aggregation", "dynamic", "speculative", "busy",
                  "unavailable", "unit"):
        expect(expected, "tbuf_run_drops_total",
               {"consumer": consumer, "cause": cause}, 0)
    for name in "requests_total", "request_bytes", "request_mean_bytes":
        expect(expected, "tbuf_run_metric_other_keys",
               {"consumer": consumer, "metric": "kv_" + name}, 0)
    differ(expected, found)


def hosts(count, script, values):
    """Writes a script that makes the values of many hosts, and the values."""
    seed = int(os.environ.get("SEED") or time.time())
    print("seed", seed)
    draw = random.Random(seed)
    every = []
    with open(script, "w") as out:
        for host in range(int(count)):
            center = 19 if host % 100 == 0 else draw.choice((10, 11, 12))
            out.write("BEGIN {\n")
            for _ in range(10):
                value = int(2 ** min(max(draw.gauss(center, 1.5), 1), 38))
                every.append(value)
                out.write(f'@lat["h{host}"] = quantize({value});\n'
                          f'@all = quantize({value});\n')
            out.write("}\n")
        out.write("BEGIN { exit(0); }\n")
    json.dump(every, open(values, "w"))


def quantile(share, buckets):
    """Prometheus' histogram_quantile() of (le, cumulative count) pairs."""
    rank, low, below = share * buckets[-1][1], 0, 0
    for le, count in buckets:
        if count >= rank:
            return low + (le - low) * (rank - below) / (count - below)
        low, below = le, count


def histogram(found, name):
    """Adds the buckets of all series of a name."""
    sums = {}
    for (sample, labels), value in found.items():
        if sample == name + "_bucket":
            le = float(dict(labels)["le"])
            sums[le] = sums.get(le, 0) + value
    return sorted(sums.items())


def quantiles(values, metrics):
    every, found = sorted(json.load(open(values))), read(metrics)
    fleet = histogram(found, "kv_request_seconds")
    whole = histogram(found, "kv_all_seconds")
    truth = [(le, sum(value <= round(le * 1e9) for value in every)
              if le != float("inf") else len(every)) for le, n in fleet]
    bounds = {dict(labels)["host"]: [] for (name, labels) in found
              if name == "kv_request_seconds_count"}
    for name, labels in found:
        if name == "kv_request_seconds_bucket":
            bounds[dict(labels)["host"]].append(dict(labels)["le"])
    if len(bounds) != 1000 or len({tuple(b) for b in bounds.values()}) != 1:
        print("not the same bounds for 1000 hosts")
    if not fleet == whole == truth:
        print(fleet, whole, truth)
    for share in .5, .99, .999:
        value = every[int(share * len(every))] / 1e9
        result = quantile(share, fleet)
        if result != quantile(share, truth):
            print(share, result, "is not that of all values together")
        if not value / 2 <= result <= value * 2:
            print(share, result, "is not near", value)
    print("equal")


CONFIGURATION = """
global: {scrape_interval: 5s, scrape_timeout: 5s}
scrape_configs:
  - job_name: textfile
    honor_labels: true
    static_configs: [{targets: ['127.0.0.1:PORT']}]
"""


def query(port, text):
    answer = json.loads(get(port, "/api/v1/query?" +
                            urllib.parse.urlencode({"query": text})))
    return answer["data"]["result"]


def prometheus(exporter, found):
    """Compares what Prometheus has scraped with what there was."""
    with open("prometheus.yml", "w") as out:
        out.write(CONFIGURATION.replace("PORT", str(exporter)))
    program, port = serve([
        "prometheus", "--config.file=prometheus.yml",
        "--storage.tsdb.path=tsdb", "--web.listen-address=127.0.0.1:PORT"])
    while not query(port, "count(kv_request_seconds_count) == 1000"):
        time.sleep(0.1)
    scraped = {}
    for sample in query(port, '{__name__=~"tbuf.*|kv.*"}'):
        labels = sample["metric"]
        name = labels.pop("__name__")
        pairs = frozenset(
            (k, str(float(v)) if k == "le" else v.replace("\\", "\\\\")
             .replace('"', '\\"').replace("\n", "\\n"))
            for k, v in labels.items() if k not in ("job", "instance"))
        scraped[name, pairs] = float(sample["value"][1])
    answers = [float(query(
        port, f"histogram_quantile({share}, "
        "sum by (le) (kv_request_seconds_bucket))")[0]["value"][1])
        for share in (.5, .99, .999)]
    program.kill()
    program.wait()
    fleet = histogram(found, "kv_request_seconds")
    for share, answer in zip((.5, .99, .999), answers):
        if abs(answer / quantile(share, fleet) - 1) > 1e-9:
            print(share, answer, quantile(share, fleet))
    return scraped


def collector(*paths):
    program, port = serve([
        "prometheus-node-exporter", "--web.listen-address=127.0.0.1:PORT",
        "--collector.disable-defaults", "--collector.textfile",
        "--collector.textfile.directory=" + paths[0].rsplit("/", 1)[0]])
    found = parse(get(port, "/metrics").splitlines())
    if found.get(("node_textfile_scrape_error", frozenset())) != 0:
        print("the collector has an error")
    # A histogram without a sum gets one that is 0.
    expected = read(*paths)
    found = {key: value for key, value in found.items()
             if re.match("tbuf|kv", key[0]) and (key in expected or
             value != 0 or not key[0].endswith("_sum"))}
    scraped = prometheus(port, found)
    program.kill()
    program.wait()
    for key in set(found) - set(scraped):
        print("Prometheus lacks", key)
    for key, value in found.items():
        if scraped.get(key) != value:
            print(key, value, scraped.get(key))
            break
    differ(expected, found)


{"stat": stat, "units": units, "run": run, "hosts": hosts,
 "quantiles": quantiles, "collector": collector}[sys.argv[1]](*sys.argv[2:])
