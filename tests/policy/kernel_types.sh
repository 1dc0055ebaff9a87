#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Structures for system calls have the same sizes and offsets in D as in C.

set -u
: "${TBUFCTL:?}" "${CC:=cc}" "${top_srcdir:?}"
. "$top_srcdir/tests/lib/scratch.sh"
. "$top_srcdir/tests/lib/expect.sh"
TBUF_DIR=$SCRATCH_SHM/run
export TBUF_DIR
cd "$SCRATCH" || exit 1

# member STRUCTURE NAME ...: prints expressions for its size and offsets.
member() {
	of=$1
	shift
	echo "sizeof (struct $of)"
	for name; do
		echo "offsetof(struct $of, $name)"
	done
}
{
	member stat st_dev st_ino st_nlink st_mode st_uid st_gid st_rdev \
	    st_size st_blksize st_blocks st_atime st_mtime st_ctime
	member rusage ru_stime ru_maxrss ru_minflt ru_majflt ru_inblock \
	    ru_msgsnd ru_nivcsw
	member tms tms_stime tms_cutime tms_cstime
	member timespec tv_nsec
	member timeval tv_usec
	member itimerval it_value
	member sockaddr_in sin_family sin_port sin_addr
	member sockaddr_in6 sin6_port sin6_flowinfo sin6_addr sin6_scope_id
	member sockaddr_un sun_path
	member iovec iov_len
	member pollfd events revents
	member rlimit rlim_max
	echo 'sizeof (stack_t)'
	echo 'offsetof(stack_t, ss_flags)'
	echo 'offsetof(stack_t, ss_size)'
} >expressions
{
	for name in netinet/in.h poll.h signal.h stddef.h stdio.h sys/resource.h \
	    sys/socket.h sys/stat.h sys/time.h sys/times.h sys/uio.h sys/un.h; do
		echo "#include <$name>"
	done
	echo 'int main(void) {'
	sed 's/.*/printf("& %d\\n", (int)(&));/' expressions
	echo 'return (0); }'
} >all.c
{
	echo 'BEGIN {'
	sed 's/.*/printf("& %d\\n", (int)(&));/' expressions
	echo 'exit(0); }'
} >all.d
$CC -D_GNU_SOURCE -o all all.c || exit 1
expect 'as in C' "$("$TBUFCTL" -q -s all.d)" "$(./all)"
report
