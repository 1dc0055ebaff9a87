#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A server receives the lines of --format=otlp by HTTP, as a collector of
# OpenTelemetry does, and finds the requests of kvd as spans: one is in the trace
# that its client named, one has failed.  The same file gives the same spans.

set -u
. "${top_srcdir:?}/tests/lib/scratch.sh"
: "${TBUFCTL:?}" "${top_builddir:?}"
command -v python3 >/dev/null || exit 77
TBUF_DIR=$SCRATCH/dir
export TBUF_DIR
unset TBUF_DISABLE TBUF_KEEP TBUF_MAXSIZE
cd "$SCRATCH" || exit 1
mkdir -m 700 dir

cat >client.py <<'E2'
import socket, sys, time
s = socket.socket(socket.AF_UNIX)
while s.connect_ex('socket') != 0:
    time.sleep(0.01)
f = s.makefile('rw')
for line in sys.stdin:
    f.write(line)
    f.flush()
    f.readline()
E2

cat >server.py <<'E2'
import http.server, json, re, sys, threading, urllib.request

# The types that opentelemetry-proto has, in the JSON that the protocol wants.
def check_value(v):
    assert len(v) <= 1, v
    for kind, x in v.items():
        if kind == 'kvlistValue':
            check_attributes(x['values'])
        elif kind == 'intValue':
            assert re.fullmatch('-?[0-9]+', x) and -2**63 <= int(x) < 2**63
        else:
            assert isinstance(x, {'stringValue': str, 'bytesValue': str,
                'boolValue': bool, 'doubleValue': (int, float, str)}[kind])

def check_attributes(all):
    for a in all:
        assert set(a) == {'key', 'value'} and isinstance(a['key'], str)
        check_value(a['value'])
    return {a['key']: list(a['value'].values())[0] for a in all if a['value']}

def check_time(text):
    assert re.fullmatch('[0-9]{1,20}', text)
    return int(text)

def check_span(s, spans):
    assert set(s) <= {'traceId', 'spanId', 'parentSpanId', 'name', 'kind',
        'startTimeUnixNano', 'endTimeUnixNano', 'attributes', 'events',
        'status', 'droppedEventsCount', 'droppedAttributesCount'}, s
    assert re.fullmatch('[0-9a-f]{32}', s['traceId'])
    assert re.fullmatch('[0-9a-f]{16}', s['spanId'])
    assert re.fullmatch('([0-9a-f]{16})?', s.get('parentSpanId', ''))
    begin, end = (check_time(s[x + 'TimeUnixNano']) for x in ('start', 'end'))
    assert begin <= end
    for e in s.get('events', []):
        assert begin - 9 <= check_time(e['timeUnixNano']) <= end + 9
        check_attributes(e['attributes'])
    s['attributes'] = check_attributes(s['attributes'])
    assert s['spanId'] not in spans
    spans[s['spanId']] = s

def check_request(r, spans, logs):
    for resource in r.get('resourceSpans', []):
        names = check_attributes(resource['resource']['attributes'])
        assert names['service.name'] == 'kvd'
        for scope in resource['scopeSpans']:
            for s in scope['spans']:
                check_span(s, spans)
    for resource in r.get('resourceLogs', []):
        for scope in resource['scopeLogs']:
            for log in scope['logRecords']:
                check_time(log['timeUnixNano'])
                check_attributes(log['attributes'])
                logs.append(log)

class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        try:
            body = self.rfile.read(int(self.headers['Content-Length']))
            assert len(body) <= 512 << 10
            check_request(json.loads(body), spans, logs)
            self.send_response(200)
        except Exception as e:
            sys.stderr.write('%r\n' % e)
            self.send_response(400)
        self.end_headers()
    def log_message(self, *unused):
        pass

spans, logs = {}, []
server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
for line in open(sys.argv[1], 'rb'):
    urllib.request.urlopen(urllib.request.Request(
        'http://127.0.0.1:%d/v1/traces' % server.server_port, line,
        {'Content-Type': 'application/json'}))
for s in spans.values():
    parent = s.get('parentSpanId')
    if parent in spans:
        assert spans[parent]['traceId'] == s['traceId']
    elif parent is not None:
        print('joins', s['traceId'], parent, 'kind', s['kind'])
    if 'tbuf.unit' in s['attributes'] and s['status'] != {'code': 1}:
        print('failed', s['status'])
        failed = s['spanId']
# The connection is a span if kvd has seen its end.
assert len(logs) + len(spans) == 2004
print(sum('tbuf.unit' in s['attributes'] for s in spans.values()), 'units')
print('in the failed one:', [s['name'] for s in spans.values() if
    s.get('parentSpanId') == failed])
E2

TBUF_OPTIONS='bufsize=8m,nunits=64,probes=kv:::' \
    "$top_builddir/examples/kvd" socket >/dev/null 2>&1 &
kvd=$!
{
	i=0
	while [ $((i += 1)) -le 2000 ]; do
		echo "set key$i \"$i\""
	done
	echo 'in 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 get key7'
	echo mistaken
} | python3 client.py || exit 1
kill -9 $kvd
wait $kvd 2>/dev/null

failed=0
file=$(ls dir/tbuf.$kvd.*)
"$TBUFCTL" --format=otlp --read="$file" -o first.json 2>errors || failed=1
"$TBUFCTL" --format=otlp --read="$file" -o second.json 2>>errors || failed=1
[ "$(wc -l <first.json)" -ge 2 ] || { echo 'FAIL: one line'; failed=1; }
python3 server.py first.json >found || failed=1
cat >expected <<'E2'
2002 units
failed {'code': 2, 'message': 'outcome 1'}
in the failed one: ['request']
joins 0af7651916cd43dd8448eb211c80319c b7ad6b7169203331 kind 2
E2
sort found | diff expected - || failed=1
for file in first second; do
	grep -o '"[a-zA-Z]*[iI]d":"[0-9a-f]*"' $file.json >$file
done
cmp first second || failed=1
[ $failed -eq 0 ] || { cat errors found; exit 1; }
echo '1 passed, 0 failed'
