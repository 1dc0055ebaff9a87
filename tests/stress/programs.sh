# SPDX-License-Identifier: BSD-2-Clause
#
# Programs with something to do, for functions.sh and suites.sh.  Each function
# run_PROGRAM calls `RUN COMMAND', where RUN are its arguments, and uses the
# program meanwhile if it is a server; `seen' then has all that a user sees, and
# $program is the program.  It fails, with a line, if that is not installed.

# has PROGRAM: false, with a line, if it is not installed.
has() {
	command -v "$1" >/dev/null || {
		echo "no $1: not tried"
		return 1
	}
}

# waits FILE: until a server has made its socket.
waits() {
	until [ -S "$1" ]; do
		kill -0 $$ || return
	done
}

# How often bash waits for a child depends on when that ends.
cat >alone.sh <<'END'
f() { [ "$1" -le 0 ] && echo done || f $(($1 - 1)); }
f 5
for i in 1 2 3 4 5; do a[i]=$((i * i)); done; echo "${a[@]}"
case abc in a*) echo yes;; esac
trap 'echo usr1' USR1; kill -USR1 $$
[[ abc =~ b(c) ]] && echo "${BASH_REMATCH[1]}"
printf -v q %q 'a b'; echo "$q"; declare -A m=([k]=v); echo "${m[k]}"
END
{ cat alone.sh
cat <<'END'
x=$(echo c b a); echo "$x"; (exit 3); echo $?
exit 5
END
} >script.sh
run_bash() {
	program=bash
	"$@" 'bash script.sh'
	cp output seen
}

cat >script.py <<'END'
import json, re, collections
def f(n):
    if n == 0:
        raise ValueError("zero")
    return f(n - 1) if n > 1 else n
d = {str(i): [i, i * 1.5, {"k": "v" * (i % 7)}] for i in range(200)}
assert json.loads(json.dumps(d)) == d
print(len(re.findall(r"[a-z]+(\d+)", " ".join("ab%d" % i for i in range(99)))))
print(collections.Counter("mississippi").most_common(2), f(20))
try:
    f(0)
except ValueError as e:
    print(e)
print(sum(x for x in (i * i for i in range(1000)) if x % 3), sorted("hello"))
END
run_python() {
	program=/usr/bin/python3
	[ -x $program ] || program=python3
	has $program || return
	"$@" "$program script.py"
	cp output seen
}

run_redis() {
	{ has redis-server && has redis-cli; } || return
	rm -f redis.sock
	(
		waits redis.sock
		for i in 1 2 3 4 5 6 7 8 9; do
			echo "set k$i v$i"
			echo "get k$i"
			echo "lpush l $i"
			echo "zadd z $i m$i"
			echo "incr n"
		done | redis-cli -s redis.sock >seen
		redis-cli -s redis.sock shutdown nosave
	) &
	client=$!
	program=redis-server
	"$@" "redis-server --port 0 --unixsocket $PWD/redis.sock --save ''"
	wait "$client"
}

# nginx has two processes that serve files, compress them, ask each other for
# them, and are replaced by others halfway.
cat >load.py <<'END'
import hashlib, http.client, socket, sys
class Connection(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect("nginx.sock")
seen = hashlib.sha256()
paths = "index.html", "f1", "f2", "proxy/f3", "re/1", "none", ""
for n in range(20):
    c = Connection("x")
    for path in paths:
        for headers in {}, {"Accept-Encoding": "gzip"}, {"Range": "bytes=5-50"}:
            c.request("GET", "/" + path, headers=headers)
            r = c.getresponse()
            seen.update(b"%d" % r.status + r.read())
    c.close()
print(seen.hexdigest())
END
run_nginx() {
	{ has nginx && has python3; } || return
	rm -rf nginx.sock www
	mkdir -p www
	for i in 1 2 3; do
		seq 1 $((i * 1000)) >www/f$i
		touch -d 2020-01-01 www/f$i
	done
	echo '<p>A page' >www/index.html
	touch -d 2020-01-01 www/index.html
	cat >nginx.conf <<END
daemon off; worker_processes 2; pid $PWD/nginx.pid;
error_log $PWD/error.log notice;
$([ "$(id -u)" -ne 0 ] || echo 'user root;')
events { worker_connections 64; }
http {
	access_log $PWD/access.log;
	gzip on; gzip_min_length 10; gzip_types *;
	client_body_temp_path $PWD/temporary1;
	proxy_temp_path $PWD/temporary2;
	fastcgi_temp_path $PWD/temporary3;
	uwsgi_temp_path $PWD/temporary4;
	scgi_temp_path $PWD/temporary5;
	server {
		listen unix:$PWD/nginx.sock;
		root $PWD/www;
		autoindex on;
		location /proxy/ { proxy_pass http://unix:$PWD/nginx.sock:/; }
		location /re { rewrite ^/re(.*)\$ /index.html last; }
	}
}
END
	(
		waits nginx.sock
		python3 load.py
		kill -HUP "$(cat nginx.pid)"
		python3 load.py
		kill -QUIT "$(cat nginx.pid)"
	) >seen 2>&1 &
	client=$!
	program=nginx
	"$@" "nginx -p $PWD -c $PWD/nginx.conf"
	wait "$client"
}

cat >work.js <<'END'
const { Worker, isMainThread, parentPort, workerData } =
    require('worker_threads');
const zlib = require('zlib'), crypto = require('crypto'), fs = require('fs');
function job(n) {
	const lines = Array.from({ length: 2000 }, (_, i) => 'line ' + i * n);
	const packed = zlib.gzipSync(lines.join('\n'));
	if (zlib.gunzipSync(packed).toString() !== lines.join('\n'))
		throw new Error('zlib');
	const key = crypto.pbkdf2Sync('secret' + n, 'salt', 500, 32, 'sha256');
	const c = crypto.createCipheriv('aes-256-cbc', key, Buffer.alloc(16));
	return crypto.createHash('sha256').update(c.update(packed))
	    .update(c.final()).digest('hex');
}
if (!isMainThread) {
	try { JSON.parse('{'); } catch (e) { }
	parentPort.postMessage([workerData, job(workerData)]);
} else {
	const out = [];
	let left = 3;
	const ended = () => {
		if (--left)
			return;
		console.log(JSON.stringify(out.sort()));
		zlib.brotliCompress('x'.repeat(5000), (e, b) =>
			crypto.scrypt('a', 'b', 32, (e, k) =>
				console.log(b.length, k.toString('hex'))));
	};
	for (let i = 1; i <= 3; i++)
		new Worker(__filename, { workerData: i })
		    .on('message', m => out.push(m)).on('exit', ended);
	console.log(job(9), fs.readFileSync(__filename).length);
}
END
run_node() {
	has node || return
	program=node
	"$@" 'node work.js'
	cp output seen
}

# ------------------------------------------------------------- PostgreSQL

postgres=$(find /usr/lib/postgresql/*/bin -name postgres 2>/dev/null |
    tail -n 1)
postgres=${postgres%/*}
. "$top/tests/lib/tbufctl.sh"

# as_user COMMAND ...: runs it as a user that PostgreSQL accepts: not as root.
as_user() {
	if [ "$(id -u)" -eq 0 ]; then
		setpriv --reuid=postgres --regid=postgres --clear-groups "$@"
	else
		"$@"
	fi
}

# has_postgres: false, with a line, if a server cannot be tried.
has_postgres() {
	if [ -z "$postgres" ]; then
		echo 'no PostgreSQL: not tried'
	elif ! as_user test -x "$TBUFCTL" -a -x "${SCRATCH%/*}"; then
		echo 'files that the user of PostgreSQL cannot read: not tried'
	else
		chmod 711 "$SCRATCH" "$SCRATCH_SHM"
		return 0
	fi
	return 1
}

# postgres_data NAME: makes a cluster in $folder, which that user may write to.
postgres_data() {
	folder=$SCRATCH_SHM/$1
	mkdir "$folder"
	[ "$(id -u)" -ne 0 ] || chown postgres "$folder"
	as_user "$postgres/initdb" -D "$folder/data" --no-locale -E UTF8 \
	    -U postgres -A trust >"$1.initdb" 2>&1 || {
		cat "$1.initdb"
		exit 1
	}
	cat >>"$folder/data/postgresql.conf" <<END
unix_socket_directories = '$folder'
listen_addresses = ''
fsync = off
max_prepared_transactions = 2
log_min_messages = warning
END
}

# postgres_runs: waits until the server answers.
postgres_runs() {
	until as_user "$postgres/pg_isready" -q -h "$folder"; do
		kill -0 $$ || return
	done
}

postgres_stops() {
	as_user "$postgres/pg_ctl" -D "$folder/data" -m fast stop >/dev/null
}

bench() {
	as_user "$postgres/pgbench" -h "$folder" -U postgres "$@" postgres 2>&1
}

# The server's user can write to $folder alone: RUN uses $as and $out.
run_postgres() {
	{ has_postgres && has "$postgres/pgbench"; } || return
	rm -rf "$SCRATCH_SHM/bench"
	postgres_data bench
	(
		postgres_runs
		bench -i -s 1 -q >/dev/null
		bench -c 3 -j 2 -t 100 --random-seed=7
		bench -S -c 3 -j 2 -t 300 --random-seed=7
		as_user "$postgres/psql" -h "$folder" -U postgres -c \
		    'select sum(abalance), count(*) from pgbench_accounts'
		postgres_stops
	) >bench.out &
	client=$!
	program=$postgres/postgres
	(
		TBUF_DIR=$folder/run out=$folder as=as_user
		"$@" "$postgres/postgres -D $folder/data"
	)
	wait "$client"
	grep -v 'latency\|tps\|time' bench.out >seen
}
