#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Files that are small, and that expand to any size: a packed file of zeroes, a
# core with holes, macros that name each other.  tbufctl reads them as far as a
# bound, and says so.

set -u
. "${top_srcdir:?}/tests/lib/scratch.sh"
. "$top_srcdir/tests/lib/same.sh"
: "${TBUFCTL:?}"
cd "$SCRATCH" || exit 1
mkdir -m 700 dir
export TBUF_DIR="$SCRATCH/dir"
# Without a bound this test fails, and does not run for ever.
# shellcheck disable=SC3045 # dash and bash have it
ulimit -t 300

# ------------------------------------------------------------- a packed file

# number SIZE VALUE: prints SIZE bytes, the lowest one first.
number()
{
	n=$1 value=$2
	while [ "$n" -gt 0 ]; do
		# shellcheck disable=SC2059 # the format is the byte
		printf "\\$(printf %03o $((value & 255)))"
		n=$((n - 1)) value=$((value >> 8))
	done
}

# headers OFFSET SIZE: prints the headers of a core that has one segment.
headers()
{
	printf '\177ELF\002\001\001'
	number 9 0
	number 2 4; number 2 62; number 4 1	# type, machine, version
	number 8 0; number 8 64; number 8 0	# entry, phoff, shoff
	number 4 0; number 2 64; number 2 56; number 2 1
	number 2 0; number 2 0; number 2 0
	number 4 1; number 4 4; number 8 "$1"	# PT_LOAD, PF_R, offset
	number 8 4096; number 8 0; number 8 "$2"; number 8 "$2"
	number 8 4096
}

# refused WHAT STATUS LINES ARGUMENT ...
refused()
{
	what=$1 status=$2 lines=$3
	shift 3
	"$@" >got 2>err </dev/null
	same "$what: status" "$status" "$?"
	same "$what: message" "$lines" "$(cat err)"
}

large='tbufctl: packed: zstd file of more than 64 GiB, rest not read'
help="tbufctl: bit 3 of coredump_filter adds the buffers to a core: see core(5)"
headers 4096 35184372088832 >start
{ printf '\050\265\057\375'; echo packed; } >packed
# The sanitizers' libraries do not load a library without them.
if [ -z "${SANITIZER-}" ] && ${CC:-cc} -O2 -fPIC -shared \
    -Wl,-soname,libzstd.so.1 "$top_srcdir/tests/hostile/endless_zstd.c" \
    -o libzstd.so.1 2>log; then
	export LD_LIBRARY_PATH="$SCRATCH" HEAD="$SCRATCH/start"
	refused 'a packed core' 1 "tbufctl: failed to read packed: it is\
 truncated, and has no session
$help
$large" "$TBUFCTL" --core packed -n count
	refused 'a packed trace' 1 "$large
tbufctl: failed to unwrap packed: it is truncated, and has no text trace" \
	    "$TBUFCTL" --unwrap packed
	refused 'a packed core, interrupted' 1 \
	    'tbufctl: failed to read packed: Interrupted system call' \
	    env INTERRUPT=20 "$TBUFCTL" --core packed -n count
	refused 'a packed trace, interrupted' 130 '' \
	    env INTERRUPT=20 "$TBUFCTL" --unwrap packed
	unset LD_LIBRARY_PATH
else
	echo 'skipped: a packed file'
fi

# ------------------------------------------------------------ a core of holes

# A file system that cannot have such a file has no such core either.
cd "$SCRATCH_SHM" || exit 1
headers 4096 2305843009213693952 >core
if truncate -s 3E core 2>/dev/null; then
	refused 'a core of holes' 1 "tbufctl: failed to unwrap core: it has no\
 text trace (bit 3 of coredump_filter adds it to a core)" \
	    "$TBUFCTL" --unwrap core
	refused 'a core of holes' 1 "tbufctl: failed to read core: it has no\
 session
$help" "$TBUFCTL" --core core -n count
else
	echo 'skipped: a core of holes'
fi
rm -f core
cd "$SCRATCH" || exit 1

# ----------------------------------------------------------------- a script

# 10,000,000,000 times x.
awk 'BEGIN {
	print "#define A0 x"
	for (i = 0; i < 10; i++) {
		printf "#define A%d", i + 1
		for (j = 0; j < 10; j++)
			printf " A%d", i
		print ""
	}
	print "BEGIN { A10; }"
}' </dev/null >bomb.d
exceeds='tbufctl: failed to compile script bomb.d: Preprocessor output exceeds'
exceeds="$exceeds 16 MiB"
if command -v cpp >/dev/null; then
	refused 'macros' 1 "$exceeds" "$TBUFCTL" -C -s bomb.d
fi
# A preprocessor that writes without end, and one that is interrupted.
cat >endless <<end
#!/bin/sh
exec cat /dev/zero
end
cat >interrupt <<end
#!/bin/sh
kill -INT \$PPID
exec sleep 1000
end
chmod 700 endless interrupt
refused 'a preprocessor' 1 "$exceeds" \
    "$TBUFCTL" -C -x cpppath="$SCRATCH/endless" -s bomb.d
refused 'a preprocessor, interrupted' 1 "tbufctl: failed to compile script\
 bomb.d: Preprocessor interrupted" \
    "$TBUFCTL" -C -x cpppath="$SCRATCH/interrupt" -s bomb.d
refused 'a device' 1 'tbufctl: failed to open /dev/zero: File too large' \
    "$TBUFCTL" -s /dev/zero
mkdir libraries
truncate -s 1T libraries/holes.d 2>/dev/null &&
	refused 'a library of holes' 0 \
	    'tbufctl: failed to open libraries/holes.d: File too large' \
	    "$TBUFCTL" -q -L libraries -n 'BEGIN { exit(0); }'

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
