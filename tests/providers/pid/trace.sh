#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Entries and returns of functions of programs that know nothing of tbuf: each
# pass is counted, arguments and stacks are right, and programs do as before.

set -u
. "${top_srcdir:?}/tests/lib/pid.sh"

# What the program counts and what is traced, of what is armed.
all='pid$target:a.out::entry, pid$target:a.out::return
    { @[probefunc, probename] = count(); }'
for flags in '-O0 -std=c++20' -O2 '-O2 -fno-pie -no-pie -std=c++20' \
    '-O3 -std=c++20 -fomit-frame-pointer -fno-ipa-cp' \
    '-O2 -fcf-protection=full -std=c++20' \
    '-O2 -DELSEWHERE -Wl,--section-start=elsewhere=0x4000000'; do
	# shellcheck disable=SC2086
	g++ -w $flags -o truth "$top/tests/providers/pid/truth.cc" -lpthread ||
	    exit 1
	rm -f traced
	"$TBUFCTL" -q -o traced -n "$all" -c ./truth >counted 2>err
	sed -n 's/.*a\.out:\(.*\):\([a-z]*\): not armed: .*/\1 \2/p' err |
	    sort >unarmed
	# The program's own count of a child is in the child.
	sort counted | awk '$3 > 0' | grep -v '^child ' >known
	# Puns depend on addresses.
	grep "$(awk '{ print "^" $1 " " $2 "$" }' known)" unarmed >missed
	expect "all are armed: $flags" "$(awk 'END { print (NR < 2) }' \
	    missed)" 1
	awk 'FILENAME == "unarmed" { no[$1 " " $2]; next }
	    !(($1 " " $2) in no)' unarmed known >want
	awk 'NF == 3 { print $1, $2, $3 }' traced | sort | grep -E \
	    "$(awk '{ print $1 }' known | sort -u | paste -sd'|' |
	    sed 's/^/^(/; s/$/) /')" >got
	# While a thread has a lane's lock, fires of others there are drops.
	case ${GLIBC_TUNABLES-},$(cat err) in
	*rseq=0*'aggregation drops'*)
		;;
	*)
		expect "counts: $flags" "$(cat got)" "$(cat want)" ;;
	esac
	expect "its output: $flags" "$(grep '^[0-9]*$' err)" \
	    "$(./truth 2>&1 >/dev/null)"
done
# Code in both segments of this program is of one module, and without names it
# has its place in the file.
expect 'one module' "$("$TBUFCTL" -q -n 'pid$target:a.out::entry
    { @[umod(ucaller)] = count(); }' -c ./truth 2>/dev/null |
    grep -c '^  truth  *[0-9]*$')" 1
for function in many main; do
	# shellcheck disable=SC2046 # value and section
	set -- $(readelf -sW truth | awk -v name="$function" \
	    '$8 == name { print $2, $7; exit }')
	# shellcheck disable=SC2046 # type, address and offset
	set -- "$1" $(readelf -SW truth | sed -n "s/^ *\[ *$2\] [^ ]*//p")
	place=$(printf '0x%x' $((0x$1 - 0x$3 + 0x$4)))
	expect "the place of $function" "$("$TBUFCTL" -q -x noresolve \
	    -n "pid\$target:a.out:$function:entry { ustack(1); }" -c ./truth \
	    2>/dev/null | sed -n 's/^ *truth:\(0x.*\)$/\1/p')" "$place"
done

g++ -w -O2 -o truth "$top/tests/providers/pid/truth.cc" -lpthread || exit 1
trace() {
	"$TBUFCTL" -q -n "$@" -c ./truth 2>err | grep -v ' entry \| return ' |
	    sed '/^ *$/d; s/^ *//; s/  */ /g'
}
expect 'arguments' "$(trace 'pid$target:a.out:many:entry
    { printf("%d %d %d %d %d %d %d %d %d %d\n", arg0, arg1, arg2, arg3, arg4,
    arg5, arg6, arg7, arg8, arg9); }')" '1 2 3 4 5 6 7 8 9 10'
expect 'a returned value' "$(trace 'pid$target:a.out:many:return
    { trace(arg1); }')" "$((1 + 4 + 3 + 4 + 5 + 6 + 21 + 8 + 9 + 50))"
expect 'the offset of a return' "$(trace 'pid$target:a.out:many:return
    /arg0 > 0 && arg0 < 200/ { trace(1); }')" 1
# The first frame is the place itself, whichever way the stack is walked.
for way in '' -xustackunwind; do
	expect "a stack from an entry $way" "$(trace 'pid$target:a.out:recursive:entry
	    /arg0 == 15/ { ustack(); }' $way | sed 's/main+0x.*/main/' |
	    head -n 2)" 'truth`recursive
truth`main'
	trace 'pid$target:a.out:many:return
	    { ustack(); printf("truth`many+0x%x", arg0); }' $way >frames
	expect "a stack from a return $way" "$(sed 's/main+0x.*/main/' frames |
	    head -n 2)" "$(sed '1d; /many/!d' frames)
truth\`main"
done
expect 'the program counter' "$(trace 'pid$target:a.out:many:
    { @[usym(uregs[R_PC]), uregs[R_PC] >> 48] = count(); }')" \
    'truth`many 0 2'
# Each has a call among its first bytes, which leads to another function.
for function in placed aimed; do
	expect "a stack through a call: $function" "$("$TBUFCTL" -q \
	    -n "pid\$target:a.out:$function:entry { self->in = arg0 == 4; }
	    pid\$target:a.out:thrower:entry /self->in/
	    { ustack(); self->in = 0; }" -c ./truth 2>err |
	    sed -n 's/^ *\(truth`[a-z]*\).*/\1/p' | head -n 2)" \
	    "truth\`thrower
truth\`$function"
done
expect 'the caller' "$(trace 'pid$target:a.out:many:entry
    { @[usym(ucaller)] = count(); }')" 'truth`main 1'
expect 'children, followed' "$("$TBUFCTL" -q --follow \
    -n 'pid*:a.out:child:entry { @ = count(); }' -c ./truth 2>err |
    grep -v ' entry \| return ' | tr -d ' \n')" 1
# The target executes another program; a child of it is not the target.
many() {
	"$TBUFCTL" -q -Z --follow -n 'pid$target:truth:many:entry
	    { @ = count(); }' -c "$1" 2>err | grep -v ' entry \| return ' |
	    tr -d ' \n'
}
expect 'an executed program' "$(many 'env ./truth')" 1
expect 'a child of the target' "$(many 'sh -c "./truth; true"')" ''
expect 'no variable without a target' "$(TBUF_PID='pid*:a.out:many:entry' \
    LD_PRELOAD=$TBUF_PROVIDERS/libtbuf-pid.so env | grep -c PID_TARGET=)" 0
expect 'by number of the process' "$("$TBUFCTL" -q -l \
    -n 'pid[0-9]*:truth:add:' -c ./truth 2>err | tr -s ' ' |
    cut -d ' ' -f 4- | sed 1d)" 'truth add entry
truth add return'

# Programs do as before with all of their objects armed and traced.
cat >script.sh <<'END'
f() { [ "$1" -le 0 ] && echo done || f $(($1 - 1)); }
f 20
for i in $(seq 1 30); do a[i]=$((i * i)); done; echo "${a[@]}"
case abc in a*) echo yes;; esac
echo hello | tr a-z A-Z | sed s/L/x/
x=$(printf '%s\n' c b a | sort); echo "$x"
trap 'echo usr1' USR1; kill -USR1 $$; (exit 3); echo $?
[[ abc =~ b(c) ]] && echo "${BASH_REMATCH[1]}"
printf -v q %q 'a b'; echo "$q"; declare -A m=([k]=v); echo "${m[k]}"
exit 5
END
cat >script.pl <<'END'
my %h = map { $_ => $_ ** 2 } 1 .. 99;
print join(",", sort { $h{$a} <=> $h{$b} } grep { /7/ } keys %h), "\n";
eval { die "caught\n" }; print $@;
printf "%s\n", join "|", "a1b22c333" =~ /(\d+)/g;
END
everything='pid$target:::entry, pid$target:::return
    { @[probefunc] = count(); }'
bash script.sh >plain 2>&1
"$TBUFCTL" -o counts -n "$everything" -c 'bash script.sh' >armed 2>err
expect 'bash' "$(cat armed)" "$(cat plain)"
expect 'its functions' "$([ "$(awk '$2 > 0' counts | wc -l)" -gt 300 ] &&
    echo many)" many
expect 'its status' "$(grep -c 'exited with status 5' err)" 1
# bash has functions of its own for the environment.
TBUF_PID_LIST=$PWD/listed "$TBUFCTL" -q -n 'pid$target:a.out:*_builtin:entry
    { exit(0); }' -c 'bash script.sh' >/dev/null 2>&1
expect 'its list' "$([ "$(grep -c 'a.out:.*_builtin:entry: armed' listed)" \
    -gt 30 ] && echo many)" many
for command in 'awk "BEGIN { for (i = 0; i < 99; i++) s += i ^ 2; print s }"' \
    'sort -r script.sh' 'perl script.pl' \
    'sed -n /e/p script.sh' 'ls script.sh'; do
	rm -f counts
	sh -c "$command" >plain 2>&1
	"$TBUFCTL" -q -o counts -n "$everything" -c "$command" >armed 2>err
	expect "$command" "$(cat armed)" "$(cat plain)"
done
expect 'no memory is writable and executable' "$("$TBUFCTL" -q -o counts \
    -n "$everything" -c 'cat /proc/self/maps' 2>err | grep -c ' .wx')" 0

# USDT sites among the first or the last bytes of functions fire as well.
cat >sites.c <<'END'
#include <sys/sdt.h>
int first(int);
int last(int);
int first(int n) { DTRACE_PROBE1(sites, first, n); return (n * 3 + 1); }
int last(int n)
{
	int sum = n * 3 + 1;

	DTRACE_PROBE1(sites, last, sum);
	return (sum * 1000003 + n);
}
int main(void)
{
	volatile int i;

	for (i = 0; i < 7; i++)
		(void)(first(i) + last(i));
	return (0);
}
END
$CC -std=gnu89 -O2 -fno-inline -w -I"$top/libtbuf/include/tbuf" \
    -I"$top/libtbuf/include" -o sites sites.c || exit 1
expect 'USDT sites in functions' "$("$TBUFCTL" -q -n 'sites::: { @[probename] =
    count(); } pid$target:a.out:*st:entry, pid$target:a.out:*st:return
    { @[probename] = count(); }' -c ./sites 2>err | grep -e first -e last |
    tr -s ' ' | sort)" ' first 7
 last 7'

# System calls among such bytes are left to their provider.
cat >calls.c <<'END'
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
long odd(long number, int fd);
#ifdef __x86_64__
/* Its jump begins three bytes before it, as a branch leads behind it. */
__asm__(".text\n.type odd, @function\nodd:\n .cfi_startproc\n"
    " mov %rdi, %rax\n mov %esi, %edi\n xor %esi, %esi\n syscall\n"
    "1: xor %ecx, %ecx\n test %ecx, %ecx\n jne 1b\n ret\n"
    " .cfi_endproc\n .size odd, . - odd\n");
#else
long odd(long number, int fd) { return (syscall(__NR_getppid)); }
#endif
int main(void)
{
	int i;

	for (i = 0; i < 7; i++) {
		odd(110, 0);	/* getppid */
		getppid();
		sched_yield();
		close(-1);
		sysconf(_SC_NPROCESSORS_ONLN);	/* reads a file */
	}
	return (0);
}
END
$CC -O2 -w -o calls calls.c || exit 1
calls() {
	"$TBUFCTL" -q -n 'syscall::getppid:entry, syscall::sched_yield:entry,
	    syscall::close:entry, syscall::read:entry
	    { @[probefunc] = count(); } '"${1-}" -c ./calls 2>err | tr -s ' ' |
	    sort
}
alone=$(calls)
expect 'a system call with few bytes' "$(echo "$alone" | grep getppid)" \
    ' getppid 14'
expect 'system calls of functions' "$(calls 'pid$target:libc::entry,
    pid$target:a.out:odd:entry, pid$target:libc::return { @n["all"] = count(); }' | grep -v all)" "$alone"
calls 'pid$target:libc:getppid:entry { @n["all"] = count(); }' >/dev/null
expect 'they are told' "$(sed -n 's/.*:libc:getppid:\(.*not armed\)/\1/p' err)" \
    'entry: not armed: a system call is there'

# What is not traced, and why.
message() {
	"$TBUFCTL" -q -n "$1" -c ./truth 2>&1 >/dev/null | sed -n \
	    's/^tbufctl: //; s/pid[0-9][0-9]*/pidN/; /not armed\|match/p' |
	    head -n 1
}
expect 'no such function' "$(message 'pid$target:a.out:absent:entry' |
    sed 's/.*: probe/probe/')" \
    'probe description pidN:a.out:absent:entry does not match any probes'
for name in beginning -; do
	expect "no such probe: $name" "$("$TBUFCTL" \
	    -n "pid\$target:a.out:many:$name { trace(1); }" -c ./truth 2>&1 |
	    grep -c "'$name' is an invalid probe name: functions have")" 1
done
expect 'no word of other processes' "$("$TBUFCTL" -q \
    -n 'pid$target:a.out:absent:entry { trace(1); }' -c ./truth 2>&1 |
    grep -c 'exists only in')" 0
expect 'no such module' "$(message 'pid$target:libx::entry' |
    sed 's/.*: probe/probe/')" \
    'probe description pidN:libx::entry does not match any probes'
sleep 60 &
expect 'a process that runs' "$("$TBUFCTL" -n "pid$!:a.out::entry" -p $! 2>&1 |
    grep -c 'has no libtbuf')" 1
kill $!
# Without the variable nothing is armed.
expect 'nothing is wanted' "$(TBUF_PID_LIST=list \
    LD_PRELOAD=$TBUF_PROVIDERS/libtbuf-pid.so ./truth 2>&1 >/dev/null
    ls list 2>/dev/null)" '159'

# Arguments that are in the next page of a stack, where there is one.
cat >pages.c <<'END_OF_C'
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#define SIZE	65536
#define TRIED	__attribute__((noinline, noclone))
static volatile long sum;
TRIED void many(long a, long b, long c, long d, long e, long f, long g, long h,
    long i, long j)
{
	sum += a + b + c + d + e + f + g + h + i + j;
}
TRIED void few(void) { sum++; }
TRIED void in_frame(size_t size)
{
	memset(__builtin_alloca(size), 1, size);
	many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
	__asm__ volatile ("" ::: "memory");
}
static void *in_each_frame(void *unused)
{
	size_t size;

	for (size = 16; size <= 4096; size += 16)
		in_frame(size);
	return (unused);
}
TRIED void at_the_end(char *stack)
{
#ifdef __x86_64__
	__asm__ volatile ("mov %%rsp, %%rbx; mov %0, %%rsp; call few\n"
	    "mov %%rbx, %%rsp" :: "r" (stack) : "rbx", "memory", "rax", "rcx",
	    "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc");
#else
	__asm__ volatile ("mov x19, sp; mov sp, %0; bl few; mov sp, x19" ::
	    "r" (stack) : "x19", "x30", "memory", "x0", "x1", "x2", "x3", "x4",
	    "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14",
	    "x15", "x16", "x17", "x18", "cc");
#endif
}
int main(void)
{
	pthread_t thread;
	char *stack = mmap(NULL, 2 * SIZE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	in_each_frame(NULL);
	if (pthread_create(&thread, NULL, in_each_frame, NULL) != 0 ||
	    pthread_join(thread, NULL) != 0 ||
	    mprotect(stack + SIZE, SIZE, PROT_NONE) != 0)
		return (1);
	at_the_end(stack + SIZE);
	return (0);
}
END_OF_C
$CC -w -O1 -o pages pages.c -lpthread || exit 1
expect 'arguments in another page' "$("$TBUFCTL" -q -n 'pid$target:a.out:many:entry
    /arg6 == 7 && arg7 == 8 && arg8 == 9 && arg9 == 10/ { @["whole"] = count(); }
    pid$target:a.out:many:entry, pid$target:a.out:few:entry
    { @[probefunc] = count(); }' -c ./pages 2>&1 | sed '/^ *$/d; s/^ *//
    s/  */ /g' | LC_ALL=C sort)" 'few 1
many 512
whole 512'

# A program with many probes has enable words near them, which its children have
# of their own: a function is traced in a child, and not in its parent.
i=0
while [ $i -lt 300 ]; do
	echo "__attribute__((noinline)) int many$i(int a) { return (a * 12345 + $i); }"
	i=$((i + 1))
done >children.c
cat >>children.c <<'END_OF_C'
#include <sys/wait.h>
#include <stdio.h>
#include <unistd.h>
static int near_program(void)
{
	char line[4096], *at;
	unsigned long start;
	FILE *f = fopen("/proc/self/maps", "r");
	int near = 0;

	while (fgets(line, sizeof(line), f) != NULL)
		near |= sscanf(line, "%lx-%*x r--s %*x %*s %*s %*[^ ]", &start)
		    == 1 && (start > (unsigned long)near_program ? start -
		    (unsigned long)near_program : (unsigned long)near_program -
		    start) >> 31 == 0;
	fclose(f);
	return (near);
}
static int on_its_own(int n)
{
	FILE *f = fopen("go", "r");
	int status;

	(void)fgetc(f);
	if (fork() != 0)
		return (wait(&status) == -1);
	f = fopen("child", "w");
	fprintf(f, "%d\n", (int)getpid());
	fclose(f);
	while (access("stop", F_OK) != 0) {
		n += many8(n) + many7(n);
		usleep(1000);
	}
	_exit(n & 1);
}
int main(int argc, char **argv)
{
	volatile int n = 0;
	int i, status;

	if (argc > 1)
		return (on_its_own(argc));
	fprintf(stderr, "%s\n", near_program() ? "near" : "far");
	for (i = 0; i < 2; i++) {
		n += many7(n);
		if (fork() == 0) {
			n += many8(n) + many8(n);
			_exit(0);
		}
		wait(&status);
	}
	return (0);
}
END_OF_C
$CC -w -O1 -o children children.c || exit 1
case $(uname -m) in
x86_64)	near=near ;;
*)	near=far ;;
esac
"$TBUFCTL" -q --follow -o counts -n 'pid*:a.out::entry
    { @[probefunc] = count(); }' -c ./children 2>err
expect 'enable words of children' "$(grep -x 'near\|far' err; sed -n 's/^ *//
    s/  */ /g; /^many/p' counts | LC_ALL=C sort)" "$near
many7 2
many8 4"
"$TBUFCTL" -q -o own -n 'pid$target:a.out::entry
    { @[probefunc] = count(); }' -c ./children 2>err
expect 'children that are not followed' "$(sed -n 's/^ *//
    s/  */ /g; /^many/p' own | LC_ALL=C sort)" 'many7 2'

mkfifo go begun child
LD_PRELOAD=$TBUF_PROVIDERS/libtbuf-pid.so TBUF_PID='pid*:a.out::' \
    ./children alone &
"$TBUFCTL" -q --follow -p $! -n 'BEGIN { printf("begun\n"); }
    pid*:a.out:many7:entry { @ = count(); }' >begun 2>err &
exec 3<begun
read -r line <&3
echo >go
read -r child <child
expect 'the child alone' "$line $(timeout 60 "$TBUFCTL" -q -p "$child" \
    -n 'pid*:a.out:many8:entry { printf("entered"); exit(0); }' 2>&1)" \
    'begun entered'
touch stop
wait
exec 3<&-

report
