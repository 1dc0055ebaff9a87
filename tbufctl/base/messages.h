/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * All messages that tbufctl prints on standard error, in one table.  Scripts
 * match these lines; tests/golden/cmd pins each of them.
 */
#ifndef TBUFCTL_BASE_MESSAGES_H
#define TBUFCTL_BASE_MESSAGES_H

#include <inttypes.h>

/* Exit statuses; drops are not a failure. */
#define EXIT_DONE	0
#define EXIT_FAILED	1
#define EXIT_USAGE	2

/* The plural of a regular noun. */
#define PLURAL(n)	((n) == 1 ? "" : "s")
#define PLURAL_ES(n)	((n) == 1 ? "" : "es")

/* Bad usage: exit status 2. */
#define MSG_BAD_OPTION	"unknown option: %s (see tbufctl --help)"
#define MSG_BAD_OPTION_NEAR	"unknown option: %s" MSG_NEAR
#define MSG_AMBIGUOUS	"ambiguous option: %s (it may be --%s or --%s)"
#define MSG_NO_ARGUMENT	"%s needs an argument"
#define MSG_NOT_WANTED	"%s takes no argument"
#define MSG_EXTRA	"unexpected argument: %s (a description follows -n, " \
			"a command -c)"
#define MSG_EXTRA_NEAR	"unexpected argument: %s (did you mean '-x %s%s'?)"
#define MSG_NOTHING	"no probes specified (-n enables them, -l lists them)"
#define MSG_TWICE	"%s can be given only once"
#define MSG_TOGETHER	"%s does not go with %s"
#define MSG_TOGETHER_SET	"%s does not go with -x %s"
#define MSG_NEEDS	"%s needs %s"
#define MSG_NO_MEANING	"%s has no meaning in user space"
#define MSG_BAD_PID	"invalid pid: %s (expected the number of a process)"
#define MSG_BAD_VALUE	"invalid value for %s: %s (expected %s)"
#define MSG_BAD_DIRECTORY "invalid directory for %s: %s: %s"
#define MSG_BAD_TEXT	"invalid value for %s: %s (%s)"
#define MSG_BAD_COMMAND	"invalid command '%s': %s"
#define MSG_BAD_PROBE	"invalid probe specifier %s: %s"
#define MSG_SET_UNSUPPORTED "Option is not in this version"
#define MSG_SET_NAME	"Invalid option name"
#define MSG_SET_CONTEXT	"Option cannot be used from within a D program"
#define MSG_SET_VALUE	"Invalid value for specified option"
#define MSG_SET_WRONG	"failed to set -x %s: " MSG_SET_VALUE ": '%s' is %s"
#define MSG_SYSCALL	"failed to set -x syscall%s%s: the value must be " \
			"'all'"
#define MSG_SET_OTHER	"failed to set -x %s: %s"
#define MSG_SET_SIZE	"failed to set -b %s: %s"

/* Failures: exit status 1. */
#define MSG_LIBRARY	"%s"
#define MSG_START	"failed to initialize: %s"
#define MSG_COMPILE	"failed to compile script %s: %s"
#define MSG_COMPILE_LIBRARIES "failed to compile libraries: %s"
#define MSG_PROVIDER_FILE "failed to read provider file %s: line %u: %s"
#define MSG_COMPILER	"failed to compile with %s: %s"
#define MSG_OPEN_SCRIPT	"failed to open %s: %s"
#define MSG_TOP_FORMAT	"-x aggtop shows tables: use --format=text"
#define MSG_VIEW_TERMINAL \
			"the output for a viewer is a file: use -o FILE or " \
			"a pipe"
#define MSG_VIEW_APPEND \
			"the file is not empty, and --format=chrome writes " \
			"one array of JSON: use -o with another file"
#define MSG_REPORT_LARGE \
			"failed to write %s: it would be too large for a " \
			"browser: select fewer probes, or use " \
			"--format=perfetto"
#define MSG_TOP_TERMINAL "-x aggtop: the output is not a terminal"
#define MSG_DESTRUCTIVE	"could not enable tracing: " \
			"Destructive actions not allowed"
#define MSG_ALLOW	"%s() is a destructive action: allow it with -w"
#define MSG_OPEN	"failed to open output file '%s': %s"
#define MSG_RECORD	"failed to record to '%s': %s"
#define MSG_READ_RECORDING "failed to read %s: %s"
#define MSG_RECORD_TERMINAL "it is a terminal (use a pipe or a file)"
#define MSG_READ_NONE	"it has no packets of tbufctl --record=-"
#define MSG_RECORD_LINK	"it is a link (name the directory itself)"
#define MSG_RECORD_OWNER "it belongs to another user (name a directory of " \
			"your own)"
#define MSG_RECORD_USED	"another run records to it (name a new directory)"
#define MSG_RECORD_FULL	"it is not empty (name a new directory)"
#define MSG_EXECUTE	"failed to execute %s: %s"
#define MSG_INTERPRETER	"failed to execute %s: its interpreter '%s' does not " \
			"exist"
#define MSG_INTERPRETER_CR \
			"failed to execute %s: its first line ends with a " \
			"carriage return, which does not belong to '%s'"
#define MSG_WRITE	"failed to write %s: %s"
#define MSG_CORE	"failed to read %s: %s"
#define MSG_CORE_PACKED	"failed to read %s: this tbufctl cannot unpack %s " \
			"(unpack the file first)"
#define MSG_STATUS	"failed to read the status: %s"
#define MSG_UNWRAP	"failed to unwrap %s: %s"
#define MSG_UNWRAP_PACKED "failed to unwrap %s: this tbufctl cannot unpack " \
			"%s (unpack the file first)"
#define MSG_CHECK_LINE	"failed to read %s: line %zu is not one of tbufctl " \
			"-l --format=json"
#define MSG_OBJECT_NONE	"no USDT probes in %s"
#define MSG_FUNCTION	"pid:%s:%s:%s: not armed: %s"
#define MSG_NO_TEXT	"no process has text components"
#define MSG_NO_UNITS	"no process has a session with work units"
#define MSG_NO_SESSION	"no process is traced or has a recorder (" \
			MSG_RECORDER ")"
#define MSG_RECORDER	"TBUF_OPTIONS begins one in a program, with work " \
			"units if nunits is in it: see libtbuf(3)"
#define MSG_HAS_RECORDER "a recorder makes a session: " MSG_RECORDER
#define MSG_CORE_FILTER	"bit 3 of coredump_filter adds the buffers to a " \
			"core: see core(5)"
#define MSG_UNITS_NONE	"no work units were found (nunits in TBUF_OPTIONS or " \
			"in -x makes sessions with work units)"
#define MSG_TARGETS_LOOK "could not look for targets: %s"
#define MSG_LEFT_LOOK	"failed to look for files of ended processes: %s"
#define MSG_UNITS_LOOK	"failed to look for work units: %s"
#define MSG_NO_HUNG	"no work unit is hung (-x unithung=30s prints " \
			"those that are older)"
#define MSG_HUNG	"unit %s:%" PRIu64 " of pid %jd hung %s"
#define MSG_NO_UNIT	"pid %jd has no unfinished work unit %" PRIu64
#define MSG_LEFT_REMOVE	"failed to remove %s: %s"
#define MSG_DIRECTORY_LINK	"runtime directory is a link, or not a " \
	"directory: set TBUF_DIR to another"
#define MSG_DIRECTORY_OTHERS	"runtime directory has the wrong owner or " \
	"mode: set TBUF_DIR to another"
#define MSG_DIRECTORY_RELATIVE	"TBUF_DIR is not an absolute path"
#define MSG_DIRECTORY_LONG	"TBUF_DIR is too long"
#define MSG_DIRECTORY_LATE	"runtime directory of another user has too " \
				"many files: not all were looked at"
#define MSG_ABSENT	"provider %s exists only in programs it is preloaded " \
			"into (tbufctl -c does that): see tbuf_%s(7)"
#define MSG_REBUILD	"a program built with <tbuf/sys/sdt.h> has probes " \
			"at such sites, too: see tbuf_usdt(7)"
#define MSG_NO_CLAUSE	"no probes matched"
#define MSG_NO_PROBE	"probe description %s%.*s does not match any probes"
#define MSG_NO_ID	"invalid probe identifier %u: Unknown probe identifier"
#define MSG_FAILED_MATCH "failed to match %s: No probe matches description"
#define MSG_NEAR	" (did you mean '%s'?)"
#define MSG_HINT	"did you mean '%s'?"
#define MSG_HINT_FOLLOW	"%s can execute other programs: --follow traces " \
			"them, too"
#define MSG_HINT_USDT	"%s can load libraries while it runs: -x usdt " \
			"traces their USDT probes, too"
#define MSG_HINT_SAMPLES "it can be sampled: profile-N, tick-N, BEGIN and " \
			"END need no libtbuf (example: -n 'profile-97 { " \
			"@[ustack()] = count(); }')"
#define MSG_HINT_START	"for other probes start it by -c COMMAND, or with a " \
			"provider in LD_PRELOAD for -p and recorders " \
			"(TBUF_OPTIONS): see tbuf_libc(7)"
#define MSG_PID		"functions have probes only in a command of -c " \
			"(pid$target), or if TBUF_PID named them when their " \
			"process began: see tbuf_pid(7)"
#define MSG_PID_TARGET	"there is no $target: name a process by -c COMMAND, " \
			"-p PID or --read"
#define MSG_PID_OTHER	"%s is another process than that of -c, -p or " \
			"--read, which is pid$target"
#define MSG_PID_FIELDS	"%s is in the place of the %s: functions are " \
			"pid$target:MODULE:FUNCTION:NAME"
#define MSG_PID_NUMBER	"provider '%s' is not that of a process: functions " \
			"are pid$target:MODULE:FUNCTION:NAME"
#define MSG_PID_NAME	"'%s' is an invalid probe name: functions have " \
			"entry, return and offsets (example: 1c)"
#define MSG_TIMER	"a timer is tick-N or profile-N, N with a unit or a " \
			"number of times a second up to 5000 (examples: " \
			"tick-1s, tick-200us, profile-97)"
#define MSG_BPFTRACE	"'%s' is bpftrace's: use %s"
#define MSG_BPFTRACE_PROBE "'%s:' is bpftrace's: use %s"
#define MSG_BPFTRACE_FUNCTION "libc::malloc:entry, for example: only " \
			"functions of the C library have probes"
#define MSG_BPFTRACE_KERNEL "syscall::open:entry, for example: of the " \
			"kernel only system calls are traced"
#define MSG_ARGUMENTS	"arguments of %s: %s"
#define MSG_LACK	"parameter %s of %s is no argument: %s"
#define MSG_DIFFERS	"argument %s points to different types in %s and " \
			"%s: describe one of them, or cast the argument"
#define MSG_DIFFER	"argument %s points to different types in functions " \
			"of the name %s: cast it"
#define MSG_OBJECT	"-x pidobject=%s has no types: %s"
#define MSG_MODULE	"types of module %s are not known before it is " \
			"loaded (-x pidobject=FILE names its file)"
#define MSG_ARGUMENTS_MORE "%zu more list%s of arguments (tbufctl -lv prints " \
			"all)"
#define MSG_KERNEL	"provider %s traces the kernel; tbufctl traces " \
			"programs only: see tbuf_dtrace(7)"
#define MSG_PRELOAD	"failed to preload %s into %s: %s"
#define MSG_DISPATCH	"failed to set -x syscall=all: %s"
#define MSG_PROVIDER	"failed to find %s: %s: %s"
#define MSG_DECODER	"failed to load the decoder of instructions: %s"
#define MSG_PROVIDER_NONE MSG_PROVIDER " (set TBUF_PROVIDERS to its " \
			"directory)"
#define MSG_PROVIDER_FILES "failed to find the provider files of USDT: " \
			"%s: %s (set TBUF_USDT_DIR to their directory)"
#define MSG_ABORTED	"processing aborted: %s"
#define MSG_MEMORY	"out of memory"
#define MSG_INTERRUPTED	"interrupted before tracing began"
#define MSG_UNPRINTED	"ended by a signal before all was printed: %" PRIu64 \
			" record%s and %" PRIu64 " key%s of aggregations " \
			"left out%s%s"
#define MSG_UNPRINTED_BYTES ", %" PRIu64 " byte%s not written"
#define MSG_UNPRINTED_MORE ", and more that were not counted"
#define MSG_UNCOUNTED	"ended by a signal before all was printed or counted"
#define MSG_SIGBUS	"a control file was truncated while it was read"

/* Notices: -q silences them. */
#define MSG_MATCHED	"description '%s' matched %u probe%s"
#define MSG_CLAUSE_MATCHED	"description '%.*s' matched %u probe%s"
#define MSG_SCRIPT_MATCHED	"script '%s' matched %u probe%s"
#define MSG_ALLOWING	"allowing destructive actions"
#define MSG_LOWERED	"buffer size lowered to %s"
#define MSG_LOWERED_AGGREGATION	"aggregation size lowered to %s"
#define MSG_LOWERED_SPECULATION	"speculation size lowered to %s"
#define MSG_LOWERED_DYNAMIC	"dynamic variable size lowered to %s"
#define MSG_LOWERED_STRING	"string size lowered to %s"
#define MSG_LOWERED_SCRATCH	"scratch size lowered to %s"
#define MSG_LOWERED_UNIT	"unit size lowered to %s"
#define MSG_LOWERED_NSPEC	"number of speculations lowered to %jd"
#define MSG_GONE	"pid %jd has exited"
#define MSG_COVERED	"%s: system calls traced at %" PRIu64 " of %" PRIu64 \
			" place%s"
#define MSG_COVERED_ALL	"calls from places that are not traced, and from " \
			"code that is loaded later, are dispatched"
#define MSG_UNCOVERED	"not traced: %s"
#define MSG_LEFT	"pid %jd has exited and left a session"
#define MSG_SAMPLED	"%s; profile probes sample it"
#define MSG_TRACE	"text trace of pid %jd (%s)"
#define MSG_TRACE_CUT	"%s is truncated: unwrapped as far as it goes " \
			"(%" PRIu64 " byte%s missing)"
#define MSG_TRACE_FILE	"%s has no text trace: reading %s"
#define MSG_LEFT_KEEP	"recorders removed %" PRIu64 " older recording%s of " \
			"%s (limit TBUF_KEEP)"
#define MSG_LEFT_REMOVED "removed %" PRIu64 " file%s, %s"
#define MSG_EXITED	"pid %jd exited with status %d"

/* Losses and ends of processes: printed with -q, too. */
#define MSG_KILLED	"pid %jd terminated by %s"
#define MSG_RUNNING	"pid %jd left running"
#define MSG_SKIPPED	"not all processes could be traced: %s"
#define MSG_MISSED	"%" PRIu64 " process%s could not be traced: %s"
#define MSG_LOST	"%" PRIu64 " probe%s of pid %jd left out: its probe " \
			"table is full"
#define MSG_WAITING	"%" PRIu64 " probe%s of pid %jd wait%s for a semaphore"
#define MSG_UNMET	"%" PRIu64 " probe%s of pid %jd could not be " \
			"enabled: too many for a session"
#define MSG_UNFIT	"%" PRIu64 " probe%s of pid %jd not traced by a " \
			"clause: missing arguments, or arguments of other " \
			"types"
#define MSG_UNFIT_PROBE	"clause %s does not fit probe %s: %s"
#define MSG_UNFIT_MORE	"%zu more probe%s with other arguments (tbufctl -lv " \
			"prints all)"
#define MSG_FAULT	"error on enabled probe ID %u (ID %u: %s:%s:%s:%s): %s"
#define MSG_AGGREGATION	"%s%" PRIu64 " aggregation drop%s on CPU %d"
#define MSG_AGGREGATION_TAG	"[DTRACEDROP_AGGREGATION] "
#define MSG_DYNAMIC	"%s%" PRIu64 " dynamic variable drop%s"
#define MSG_DYNAMIC_TAG	"[DTRACEDROP_DYNAMIC] "
#define MSG_SPECULATIVE	"%s%" PRIu64 " speculative drop%s"
#define MSG_SPECULATIVE_TAG	"[DTRACEDROP_SPEC] "
#define MSG_BUSY	"%s%" PRIu64 " failed speculation%s (available " \
			"buffer(s) still busy)"
#define MSG_BUSY_TAG	"[DTRACEDROP_SPECBUSY] "
#define MSG_UNAVAILABLE	"%s%" PRIu64 " failed speculation%s (no speculative " \
			"buffer available)"
#define MSG_UNAVAILABLE_TAG	"[DTRACEDROP_SPECUNAVAIL] "
#define MSG_UNIT_DROPS	"%" PRIu64 " drop%s in work units of pid %jd"
#define MSG_UNIT_OVERWRITTEN	"%" PRIu64 " record%s overwritten in work " \
			"units of pid %jd"
#define MSG_UNITS_WITHOUT	"%" PRIu64 " work unit%s of pid %jd exceeded " \
			"nunits: records stored without a unit"
#define MSG_TIMERS	"%" PRIu64 " timer firing%s left out in times " \
			"without records"
#define MSG_SNAPSHOTS	"%" PRIu64 " call%s of snapshot() beyond snaprate " \
			"took no snapshot"
#define MSG_ERRORS	"%s%" PRIu64 " error%s in ERROR probe enabling"
#define MSG_ERRORS_TAG	"[DTRACEDROP_DBLERROR] "
#define MSG_CUT		"output of records cut: too long for their sizes"
#define MSG_WIDE	"widths and precisions of formats lowered to %d"
#define MSG_SYSTEM	"failed to execute a command of system(): %s"
#define MSG_LACK_SPACE	"not enough space"
#define MSG_LACK_SLOTS	"too many sessions"
#define MSG_LACK_LEASE	"another process holds a lease on a control file"
#define MSG_LACK_EPIDS	"too many probes to enable"
#define MSG_UNWIND	"stacks of samples are not unwound: %s"
#define MSG_TYPES	"types of programs are not available: %s"
#define MSG_NAMES	"%s: names of functions are not available: %s"
#define MSG_DROPS	"%s%" PRIu64 " drop%s %s"
#define MSG_DROPS_TAG	"[DTRACEDROP_PRINCIPAL] "
#define MSG_DROPS_LARGE	"[DTRACEDROP_PRINCIPAL, large] "
#define MSG_DROPS_NOLANE "[DTRACEDROP_PRINCIPAL, no lane] "
#define MSG_OVERWRITTEN	"%" PRIu64 " record%s overwritten %s"
#define MSG_DAMAGE	"%" PRIu64 " damaged byte%s skipped %s"
#define MSG_ON_CPU	"on CPU %d"
#define MSG_OF_THREAD	"in a thread's buffer"
#define MSG_CORE_DAMAGED "%s: damaged %s file, read as far as it goes"
#define MSG_CORE_LARGE	"%s: %s file of more than 64 GiB, rest not read"
#define MSG_LINES	"%" PRIu64 " line%s lost in pid %jd"
#define MSG_SNAPSHOT	"snapshot: %" PRIu64 " record%s"
#define MSG_DISCARDED	"%" PRIu64 " record%s discarded by the outcomes of " \
			"work units"
#define MSG_TOTAL_SLICES MSG_TOTAL ", %" PRIu64 " slices, %" PRIu64 \
			" records without a partner"
#define MSG_PIPE	"pipe: %" PRIu64 " packet%s lost or damaged with %" \
			PRIu64 " record%s, %" PRIu64 " repeated"
#define MSG_PIPE_CUT	"pipe: it ended before its last packet: later " \
			"records are not counted"
#define MSG_TOTAL	"total: %" PRIu64 " records, %" PRIu64 \
			" overwritten, %" PRIu64 " drops"

/*
 * Sets a function that is called before each message.  It flushes standard
 * output, so that both streams stay in order; the code that writes the output
 * is in a higher layer, and cannot be called from here directly.
 */
void	messages_init(void (*before)(void *), void *arg);

/* Prints one line on standard error.  Without memory its end is cut off. */
void	message(const char *format, ...)
	    __attribute__((format(printf, 1, 2)));

/* Print one line.  Return an exit status: EXIT_FAILED, EXIT_USAGE. */
int	fail(const char *format, ...)
	    __attribute__((format(printf, 1, 2)));
int	bad_usage(const char *format, ...)
	    __attribute__((format(printf, 1, 2)));

/* Prints text of the compiler or of DTrace, with its newlines and tabs. */
void	message_lines(const char *format, ...)
	    __attribute__((format(printf, 1, 2)));

/* Allocate memory as reallocarray(3) and strdup(3); exit if there is none. */
void	*memory_get(void *old, size_t count, size_t size);
char	*memory_string(const char *);

#endif
