#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Vector registers of a program with an armed USDT probe do not change, and
# stubs do not save them: with several kinds of clauses, traced from the start,
# and attached to later.

. "${top_srcdir:?}/tests/providers/usdt/common.sh"
grep -qw avx /proc/cpuinfo || exit 77

cat >shop.d <<'END'
provider shop {
	probe sale(int id, const char *buyer, void *request);
};
END
"$TBUFCTL" -h -s shop.d && "$TBUFCTL" -G -s shop.d || exit 1
$CC -std=gnu89 -Wall -Wextra -Werror -O2 -mgeneral-regs-only -I. \
    -I"$top/libtbuf/include/tbuf" -I"$top/libtbuf/include" "$top/tests/providers/usdt/programs/vectors.c" \
    shop.o -o vectors -lpthread || exit 1
mkfifo go

# from_beginning CLAUSES: traces the program from its start.
from_beginning() {
	"$TBUFCTL" -q --follow -n "$1" -c ./vectors >out 2>err
	expect "$1" "$?$(grep -e changed -e terminated -e 'invalid probe' err)" 0
}

# later CLAUSES: attaches to the running program.
later() {
	LD_PRELOAD=$TBUF_PROVIDERS/libtbuf-usdt.so ./vectors wait <go >out \
	    2>err &
	pid=$!
	exec 3>go
	until grep -q waits out; do :; done
	"$TBUFCTL" -q -w -n "$1" -n 'BEGIN { system("echo >go"); }' \
	    -p $pid >got 2>&1
	expect "later: $1" $? 0
	exec 3>&-
	wait $pid
	expect "later, its end: $1" "$?$(cat err)" 0
}

while read -r clauses; do
	from_beginning "$clauses"
	later "$clauses"
done <<'END'
shop:::sale
shop:::sale /arg0 < 0/ { trace(arg0); }
shop:::sale { @ = count(); }
shop:::sale { @[arg0] = quantize(arg0); @b[arg0] = avg(arg0); }
shop:::sale { @[copyinstr(arg1), execname] = lquantize(arg0, 0, 100, 10); }
shop:::sale { @[ustack(3)] = stddev(arg0); @b[probefunc] = max(arg0); }
shop:::sale { self->x = arg0; self->t = copyinstr(arg1); n++; }
shop:::sale { self->x = timestamp; } shop:::sale /self->x/ { @[tid] = sum(timestamp - self->x); self->x = 0; }
shop:::sale { x[arg0 % 7, "a"] = timestamp; self->y[pid] = arg1; }
shop:::sale { printf("%s %d %x %p", copyinstr(arg1), arg0, arg1, arg2); }
shop:::sale { trace(strjoin(copyinstr(arg1), probename)); trace(strtok(execname, "n")); trace(substr(execname, 1)); trace(dirname("/a/b")); }
shop:::sale { trace(pid); trace(ppid); trace(tid); trace(uid); trace(gid); trace(cpu); trace(errno); trace(walltimestamp); }
shop:::sale { tracemem(copyin(arg2, 16), 16); print(*(int *)alloca(4)); trace(*(char *)copyin(arg1, 2)); stack(); ustack(); }
shop:::sale { self->s = speculation(); } shop:::sale { speculate(self->s); trace(arg0); } shop:::sale { commit(self->s); self->s = 0; }
shop:::sale { this->p = (char *)alloca(64); bcopy("0123456789abcdef", this->p, 16); trace(stringof(this->p)); trace(inet_ntoa((uint32_t *)this->p)); }
shop:::sale { trace(*(int *)arg0); }
END

# Several clauses are used at once, and the lock path.
from_beginning 'shop:::sale { @ = count(); } shop:::sale { trace(arg0); }'
GLIBC_TUNABLES=glibc.pthread.rseq=0
export GLIBC_TUNABLES
from_beginning 'shop:::sale { @[arg0] = count(); x[arg0] = 1; }'
later 'shop:::sale { self->x[arg0] = 1; @[copyinstr(arg1)] = sum(1); }'
report
