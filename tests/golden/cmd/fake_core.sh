# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# --core works like --read; several files, also with --read; compressed ones are
# unpacked.
play <<END
show
$probes
record 100 101 0 2 1 1 1 0
END
mkdir a
touch a/core one two core file
ctl --core a/core
ctl --core=one --core two --read file -q -n kv:::
ctl -l --core core
for tool in zstd lz4; do
	echo "unpacked bytes" | $tool -q -c >packed 2>/dev/null ||
	    echo '(none)' >packed
	"$TBUFCTL_FAKE" -q --core packed 2>&1 | grep begins |
	    grep -v -x 'begins with unpacked bytes'
done
printf '\037\213 and more' >packed
ctl --core packed
# The control file is suggested; errors are reported.
play <<END
fail core ENODATA "failed to read core: it has no session"
END
ctl --core core
ctl --core
ctl --core file -p 7
ctl --core file -c true
ctl --stat --core file
