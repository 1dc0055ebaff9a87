# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

umask 022
# left ARGUMENT ...: runs `ctl --left`, whose figures are labelled with the user.
left()
{
	ctl --left "$@" | sed 's/uid="[0-9]*"/uid="UID"/'
}

# --stat and --left as metrics.  Labels of hostile names are escaped, and rows
# that would have equal labels differ in one more.
play <<'END'
target 100 kvd
lane 500 tbufctl 0 4194304 0 128 1000 7 1 2 3
lane 500 tbufctl 1 16384 1 0 0 0 0 0 0 locked
lane 500 tbufctl 1 16384 1 5 0 0 0 0 0 locked
lane 500 tbufctl 1 16384 1 6 0 0 0 0 0 locked
target 200 kvd
lane 2000000 "a \"b\\\n\x1b\xff\xc3\xa4" 2 2048 127 2048 18446744073709551615 88888888888 0 0 0
file 7 "a\"b" tbuf.7.0 1 1700000000000000000 4096 0 0
file 9 kvd tbuf.9.1 1 1700000000000000000 8192 0 0
END
ctl --stat --format=prometheus
left --format=prometheus
# The file of -o is replaced by another one, which has no other name.
left --format=prometheus -o left.prom
mkdir other
cp left.prom other
ln left.prom old
ctl --stat -p 200 --format=prometheus -o left.prom
cmp old other/left.prom
head -n 3 left.prom
stat -c '%h %a' left.prom
chmod 640 left.prom
ctl --stat -p 200 --format=prometheus -o left.prom
stat -c '%h %a' left.prom
ls
# Units have a histogram with the same bounds, whatever their durations are.
play <<'END'
kind 7 kvd request 1000 3 20 0 999
kind 7 kvd request 5 0 7 0 5
kind 8 "a\"b" "\xff\\" 1 1 63 0 1
END
ctl --units=stat --format=prometheus
# HELP and TYPE are there without rows, too.
play </dev/null
ctl --stat --format=prometheus
left --format=prometheus
ctl --units=stat --format=prometheus
# A link or a device is written in place.
ln -s old link
left --format=prometheus -o link
readlink link
left --format=prometheus -o /dev/null
left --format=prometheus -o /dev/full
# A file that cannot be written is known before anything is done.
mkdir dir
ctl --stat --format=prometheus -o dir
ctl --stat --format=prometheus -o none/file
ctl --left=remove --format=prometheus -o left.prom
tail -n 1 left.prom
# Other commands have no metrics.
ctl -l --format=prometheus
ctl --units --format=prometheus
ctl --units=7:7 --format=prometheus
ctl --set=traceLevel=3 --format=prometheus
ctl --unwrap=file --format=prometheus
ctl -F -n x --format=prometheus
ctl --stat --format=prom
