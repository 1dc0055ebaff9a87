# SPDX-License-Identifier: BSD-2-Clause
"""Compares the data of a page of --report with --format=json.

    report.py PAGE JSON [about]

The format is described in tbufctl/view/report.h.  Prints counts.  With "about"
times may differ by a microsecond: each consumer converts the target's clock by
a measurement of its own."""

import base64
import collections
import json
import math
import re
import struct
import sys
import zlib

INSTANT = 1


class Reader:
    def __init__(self, data, at):
        self.data = data
        self.at = at

    def varint(self):
        n = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            n |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return n

    def column(self, column, rows):
        kind = column['type']
        if 'same' in column:
            return [int(column['same'])] * rows
        if kind in 'fd':
            self.at += 8 * rows
            return list(struct.unpack_from(f'<{rows}d', self.data,
                                           self.at - 8 * rows))
        values, n = [], 0
        for _ in range(rows):
            d = self.varint()
            n = (n + (-(d >> 1) - 1 if d & 1 else d >> 1)) % 2 ** 64
            values.append(n - 2 ** 64 if kind == 'i' and n >= 2 ** 63 else n)
        assert 'wide' in column or all(abs(n) < 2 ** 51 for n in values)
        return values


def read_page(path):
    """Returns the JSON and the records of a page."""
    with open(path, 'rb') as f:
        page = f.read()
    parts = re.split(rb'<script id="data" type="text/plain">', page)
    assert len(parts) == 2
    data, tail = parts[1].split(b'</script>', 1)
    assert re.fullmatch(rb'[A-Za-z0-9+/]*=*', data)
    data = zlib.decompress(base64.b64decode(data, validate=True), -15)
    size, = struct.unpack_from('<I', data)
    meta = json.loads(data[4:4 + size].decode())
    read = Reader(data, 4 + size)
    texts, shapes = meta['texts'], meta['shapes']
    assert len({json.dumps(t) for t in texts}) == len(texts)
    entries = []
    for shape in shapes:
        shape['used'] = 0
    for track in meta['tracks']:
        time = int(meta['base'])
        times = []
        for _ in range(track['n']):
            time += read.varint()
            times.append(time)
        classes = [meta['classes'][read.varint()] for _ in times]
        for time, c in zip(times, classes):
            _, _, first, second, depth, flags = c
            length = 0 if flags & INSTANT else read.varint()
            for number, at in (first, time), (second, time + length):
                if number >= 0:
                    entries.append((track, number, shapes[number]['used'], at))
                    shapes[number]['used'] += 1
    for shape in shapes:
        assert shape['used'] == shape['rows']
        for column in shape['columns']:
            column['values'] = read.column(column, shape['rows'])
            column['name'] = texts[column['name']]
    assert read.at == len(data)
    return (parts[0], tail), meta, entries


def shown(column, row, texts):
    value = column['values'][row]
    if column['type'] == 't':
        return texts[value]
    if column['type'] == 'p':
        return hex(value)
    if column['type'] in 'fd' and not math.isfinite(value):
        return None
    if column['type'] == 'f':
        return struct.unpack('<f', struct.pack('<f', value))
    return value


def page_records(meta, entries):
    texts = meta['texts']
    for track, number, row, time in entries:
        shape = meta['shapes'][number]
        if not shape['record']:
            continue
        cpu, tid, *columns = shape['columns']
        args = [(c['name'], shown(c, row, texts), c['type']) for c in columns]
        yield (track['pid'], tid['values'][row], cpu['values'][row], time,
               texts[shape['title']]), args


def json_value(value, kind):
    if kind == 'f' and value is not None:
        return struct.unpack('<f', struct.pack('<f', value))
    return value


def text(key, args, about):
    key = [k for i, k in enumerate(key) if i != 3 or not about]
    return json.dumps([key, [list(a[:2]) for a in args]])


def loss_times(loss, about):
    both = [int(loss[k] or 0) for k in ('after', 'before')]
    return tuple(t > 0 for t in both) if about else tuple(both)


def page_sums(meta):
    """Yields (name, keys, rest, value); the rest is that of a bucket."""
    for number, value in meta['sums']:
        name, keys, rest = re.fullmatch(
            r'(@\w*)(?:\[(.*)\])?((?: -?\d+ \.\. -?\d+)?)',
            meta['texts'][number], re.S).groups()
        yield name, json.loads(f'[{keys or ""}]'), rest, int(value)


def json_sums(r):
    if not isinstance(r['value'], list):
        yield r['name'], r['keys'], None, r['value']
        return
    for low, count in r['value']:
        yield r['name'], r['keys'], low, count


def main():
    about = sys.argv[3:] == ['about']
    _, meta, entries = read_page(sys.argv[1])
    outputs, times, sums = [], ([], []), []
    ours = collections.Counter()
    kinds = collections.defaultdict(dict)
    for key, args in page_records(meta, entries):
        kinds[key[-1]].update({a[0]: a[2] for a in args})
        ours[text(key, args, about)] += 1
        times[0].append(key[3])
    theirs = collections.Counter()
    losses = collections.Counter()
    with open(sys.argv[2], encoding='utf-8') as f:
        for line in f:
            r = json.loads(line)
            if r['type'] == 'record':
                title = ':'.join(r[k] for k in
                                 ('provider', 'module', 'function', 'name'))
                args = r['args'] or {str(i): v for i, v in
                                     enumerate(r.get('values', []))}
                theirs[text((r['pid'], r['tid'], r['cpu'], r['time'], title),
                            [(k, json_value(v, kinds[title].get(k)))
                             for k, v in args.items()], about)] += 1
                times[1].append(r['time'])
            elif r['type'] == 'aggregation':
                sums += json_sums(r)
            elif r['type'] == 'output':
                outputs.append(r['text'])
            elif r['type'] in ('drops', 'overwritten', 'damage'):
                name = {'drops': f'drops ({r.get("cause")})',
                        'damage': 'damaged bytes'}.get(r['type'], r['type'])
                losses[name, r['pid'], r['cpu'], str(r.get('count',
                       r.get('bytes'))), *loss_times(r, about)] += 1
    for one in list((ours - theirs).items())[:5]:
        print('only in the page:', one)
    for one in list((theirs - ours).items())[:5]:
        print('only in JSON:', one)
    shown_losses = collections.Counter(
        (meta['texts'][x['name']], x['pid'], x['cpu'], x['count'],
         *loss_times(x, about)) for x in meta['losses'])
    assert losses == shown_losses, (losses, shown_losses)
    mine = [meta['texts'][s['columns'][2]['values'][row]]
            for _, n, row, _ in entries for s in [meta['shapes'][n]]
            if meta['texts'][s['title']] == 'output' and not s['record']]
    assert collections.Counter(mine) == collections.Counter(outputs)
    shown_sums = [(n, k, int(r.split()[0]) if r else None, v)
                  for n, k, r, v in page_sums(meta)]
    assert sums == shown_sums, (sums, shown_sums)
    if any(abs(a - b) > 1000 for a, b in zip(*map(sorted, times))):
        sys.exit('times differ')
    if ours != theirs:
        sys.exit('records differ')
    print(f'{sum(ours.values())} records, {len(outputs)} outputs,'
          f' {sum(losses.values())} losses')


if __name__ == '__main__':
    main()
