/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Built-in variables and outer subroutines of clauses in the consumer, about
 * this process or the process that was sampled.
 */
#include <sys/syscall.h>
#include <sys/uio.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "arch/stack.h"
#include "consumer/files/files.h"
#include "consumer/script/script.h"
#include "machine/internal.h"
#include "shared/control_file.h"
#include "shared/program_select.h"

#define CHILL_MAX	(TBUF_SECOND / 2)

/* Opens a file in /proc of this process, or the one that was sampled. */
static FILE *
process_file(const struct tbuf_script *s, const char *name)
{
	return (tbuf_process_open(s->sample != NULL ? s->sample->pid : 0,
	    name));
}

/* Returns a field of /proc/PID/stat. */
static uint64_t
stat_field(const struct tbuf_script *s, unsigned number)
{
	return ((uint64_t)tbuf_file_stat(s->sample != NULL ?
	    (uint32_t)s->sample->pid : 0, number));
}

/* Returns the real or effective id in /proc/PID/status ("Uid:" or "Gid:"). */
static uint64_t
status_id(const struct tbuf_script *s, const char *name, bool effective)
{
	FILE *f = process_file(s, "status");
	unsigned long real = 0, other = 0;
	size_t n = strlen(name);
	char line[256];

	if (f == NULL)
		return (0);
	while (fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, name, n) == 0) {
			(void)sscanf(line + n, "%lu %lu", &real, &other);
			break;
		}
	(void)fclose(f);
	return (effective ? other : real);
}

/* Returns an id of the sampled thread, 0 if it has ended since. */
static uint64_t
sampled_who(const struct tbuf_script *s, unsigned which)
{
	switch (which) {
	case TBUF_BUILTIN_PID:
		return ((uint64_t)s->sample->pid);
	case TBUF_BUILTIN_TID:
		return ((uint64_t)s->sample->tid);
	case TBUF_BUILTIN_PPID:
		return (stat_field(s, TBUF_FIELD_PARENT));
	case TBUF_BUILTIN_UID:
		return (status_id(s, "Uid:", false));
	case TBUF_BUILTIN_GID:
		return (status_id(s, "Gid:", false));
	case TBUF_BUILTIN_EUID:
		return (status_id(s, "Uid:", true));
	case TBUF_BUILTIN_EGID:
		return (status_id(s, "Gid:", true));
	case TBUF_BUILTIN_PGID:
		return (stat_field(s, TBUF_FIELD_GROUP));
	default:
		return (stat_field(s, TBUF_FIELD_SESSION));
	}
}

static uint64_t
who(const struct tbuf_script *s, unsigned which)
{
	if (s->sample != NULL)
		return (sampled_who(s, which));
	/* Without a sample profile-N is about a CPU, not about a process. */
	if (s->now->probe->kind == TBUF_SCRIPT_PROFILE)
		return (0);
	switch (which) {
	case TBUF_BUILTIN_PID:
		return ((uint64_t)s->pid);
	case TBUF_BUILTIN_PPID:
		return ((uint64_t)getppid());
	case TBUF_BUILTIN_TID:
		return ((uint64_t)syscall(SYS_gettid));
	case TBUF_BUILTIN_UID:
		return (getuid());
	case TBUF_BUILTIN_GID:
		return (getgid());
	case TBUF_BUILTIN_EUID:
		return (geteuid());
	case TBUF_BUILTIN_EGID:
		return (getegid());
	case TBUF_BUILTIN_PGID:
		return ((uint64_t)getpgrp());
	default:
		return ((uint64_t)getsid(0));
	}
}

/*
 * Reads the arguments, separated by blanks, and returns their number.  Those of
 * a process that says it has more than execve(2) takes are not all read.
 */
static uint64_t
arguments_read(const struct tbuf_script *s, char *text, size_t size)
{
	FILE *f = process_file(s, "cmdline");
	uint64_t count = 0, left = TBUF_EXEC_STRINGS_MAX;
	size_t used = 0;
	int c;

	while (f != NULL && left-- > 0 && (c = getc(f)) != EOF) {
		count += c == '\0';
		if (used + 1 < size)
			text[used++] = (char)(c == '\0' ? ' ' : c);
	}
	if (f != NULL)
		(void)fclose(f);
	text[used > 0 ? used - 1 : 0] = '\0';
	return (count);
}

/* Returns argc, argv or envp; the kernel lays out argv, NULL, envp. */
static uint64_t
vector(struct tbuf_script *s, unsigned which)
{
	uint64_t count = arguments_read(s, s->execargs, sizeof(s->execargs));

	if (which == TBUF_BUILTIN_ARGC)
		return (count);
	/* The addresses in other processes are not known. */
	if (s->sample != NULL)
		return (0);
	if (which == TBUF_BUILTIN_ENVP)
		return ((uint64_t)(uintptr_t)environ);
	return ((uint64_t)(uintptr_t)(environ - 1 - count));
}

/* Returns the CPU time of the thread, in ns. */
static uint64_t
virtual_time(const struct tbuf_script *s)
{
	unsigned long long ns = 0;
	char name[32];
	FILE *f;

	if (s->sample == NULL)
		return (tbuf_nanoseconds(CLOCK_THREAD_CPUTIME_ID));
	(void)snprintf(name, sizeof(name), "task/%d/schedstat",
	    (int)s->sample->tid);
	if ((f = process_file(s, name)) == NULL)
		return (0);
	if (fscanf(f, "%llu", &ns) != 1)
		ns = 0;
	(void)fclose(f);
	return (ns);
}

static uint64_t
image(const struct tbuf_script *s)
{
	return (s->sample != NULL ? s->sample->image :
	    tbuf_image((uint32_t)who(s, TBUF_BUILTIN_PID), 0));
}

/* Returns ustackdepth or ucaller of a sample. */
static uint64_t
stack(const struct tbuf_script *s, unsigned which)
{
	unsigned n = s->sample != NULL ? s->sample->nframes : 0;

	if (which == TBUF_BUILTIN_USTACKDEPTH)
		return (n);
	return (n > 1 ? s->sample->frames[1] & ~TBUF_FRAME_EXACT : 0);
}

/* Returns the timestamp, which is read once in a clause. */
static uint64_t
timestamp(struct tbuf_script *s)
{
	if (s->timestamp == 0)
		s->timestamp = tbuf_script_now(s);
	return (s->timestamp);
}

int
tbuf_script_builtin(struct tbuf_machine *m, unsigned which, uint64_t *value)
{
	struct tbuf_script *s = tbuf_script_of(m);

	*value = 0;
	if (s->record != NULL)
		return (tbuf_script_record_builtin(s, which, value));
	switch (which) {
	case TBUF_BUILTIN_TIMESTAMP:
		*value = timestamp(s);
		return (0);
	case TBUF_BUILTIN_VTIMESTAMP:
		*value = virtual_time(s);
		return (0);
	case TBUF_BUILTIN_WALLTIMESTAMP:
		*value = tbuf_script_wall(s);
		return (0);
	case TBUF_BUILTIN_IMAGE:
		*value = image(s);
		return (0);
	case TBUF_BUILTIN_UCALLER:
	case TBUF_BUILTIN_USTACKDEPTH:
		*value = stack(s, which);
		return (0);
	case TBUF_BUILTIN_CPU:
		*value = (uint64_t)s->cpu;
		return (0);
	case TBUF_BUILTIN_ID:
		*value = s->now->probe->info.id;
		return (0);
	case TBUF_BUILTIN_EPID:
		*value = s->now->epid;
		return (0);
	case TBUF_BUILTIN_PID:
	case TBUF_BUILTIN_PPID:
	case TBUF_BUILTIN_TID:
	case TBUF_BUILTIN_UID:
	case TBUF_BUILTIN_GID:
	case TBUF_BUILTIN_EUID:
	case TBUF_BUILTIN_EGID:
	case TBUF_BUILTIN_PGID:
	case TBUF_BUILTIN_SID:
		*value = who(s, which);
		return (0);
	case TBUF_BUILTIN_ARGC:
	case TBUF_BUILTIN_ARGV:
	case TBUF_BUILTIN_ENVP:
		*value = vector(s, which);
		return (0);
	case TBUF_BUILTIN_THREADS:
		*value = stat_field(s, TBUF_FIELD_THREADS);
		return (0);
	case TBUF_BUILTIN_PRIORITY:
		*value = (uint64_t)(TBUF_PRIORITIES + (s->sample != NULL ?
		    tbuf_file_stat((uint32_t)s->sample->tid,
		    TBUF_FIELD_PRIORITY) :
		    tbuf_file_thread_stat(TBUF_FIELD_PRIORITY)));
		return (0);
	case TBUF_BUILTIN_TERMINAL:
		*value = stat_field(s, TBUF_FIELD_TERMINAL);
		return (0);
	}
	if (which >= TBUF_BUILTIN_END)
		return (TBUF_FAULT_ILLEGAL);
	/* Others are 0: there is no kernel stack, and no errno. */
	if (which >= TBUF_BUILTIN_EXECNAME)
		*value = tbuf_address(TBUF_OBJECT_BUILTIN, which, 0);
	return (0);
}

bool
tbuf_script_builtin_text(struct tbuf_script *s, uint32_t which,
    struct tbuf_span *span)
{
	const struct tbuf_probe_info *info = s->record == NULL ?
	    &s->now->probe->info : s->record->probe;
	const char *text;

	switch (which) {
	case TBUF_BUILTIN_EXECNAME:
		text = tbuf_script_execname(s);
		break;
	case TBUF_BUILTIN_EXECARGS:
		(void)arguments_read(s, s->execargs, sizeof(s->execargs));
		text = s->execargs;
		break;
	case TBUF_BUILTIN_PROBEPROV:
		text = info->provider;
		break;
	case TBUF_BUILTIN_PROBEMOD:
		text = info->module;
		break;
	case TBUF_BUILTIN_PROBEFUNC:
		text = info->function;
		break;
	case TBUF_BUILTIN_PROBENAME:
		text = info->name;
		break;
	default:
		return (false);
	}
	span->at = (uint8_t *)(uintptr_t)text;
	span->size = strlen(text) + 1;
	span->writable = false;
	return (true);
}

/* ------------------------------------------------------------ calls */

/* Returns the process that a clause is about. */
static pid_t
subject(const struct tbuf_script *s)
{
	return (s->sample != NULL ? s->sample->pid : s->pid);
}

/*
 * Returns false if chill() would exceed CHILL_MAX of a second on a CPU.  The
 * time is the clause's timestamp, so that the sum of its calls does not depend
 * on how long they took.
 */
static bool
may_chill(struct tbuf_script *s, uint64_t ns)
{
	struct tbuf_script_cpu *cpu = &s->cpus[s->cpu];
	uint64_t now = timestamp(s);

	if (cpu->chill_start == 0 || now - cpu->chill_start > TBUF_SECOND) {
		cpu->chill_start = now;
		cpu->chilled = 0;
	}
	if (ns > CHILL_MAX - cpu->chilled)
		return (false);
	cpu->chilled += ns;
	return (true);
}

static int
chill(struct tbuf_script *s, uint64_t ns)
{
	struct timespec ts;

	if (!may_chill(s, ns))
		return (TBUF_FAULT_ILLEGAL);
	ts.tv_sec = (time_t)(ns / TBUF_SECOND);
	ts.tv_nsec = (long)(ns % TBUF_SECOND);
	while (nanosleep(&ts, &ts) == -1 && errno == EINTR)
		continue;
	return (0);
}

/* Reads a register: only the program counter of a sample is known. */
static int
user_register(const struct tbuf_script *s, uint64_t number, uint64_t *value)
{
	if (s->sample == NULL)
		return (0);
	if (number != TBUF_STACK_PC)
		return (TBUF_FAULT_ILLEGAL);
	*value = s->sample->frames[0];
	return (0);
}

int
tbuf_script_call(struct tbuf_machine *m, unsigned subroutine,
    const uint64_t arguments[TBUF_CALL_ARGUMENTS], unsigned count,
    uint64_t *result)
{
	struct tbuf_script *s = tbuf_script_of(m);

	(void)count;
	*result = 0;
	if (s->record != NULL && subroutine != TBUF_SUB_RAND)
		return (TBUF_FAULT_ILLEGAL);
	switch (subroutine) {
	case TBUF_SUB_RAND:
		*result = tbuf_random() & INT32_MAX;
		return (0);
	case TBUF_SUB_PROGENYOF:
		*result = tbuf_file_is_progeny((uint32_t)subject(s),
		    arguments[0]);
		return (0);
	case TBUF_SUB_UREG:
		return (user_register(s, arguments[0], result));
	case TBUF_SUB_FILE:
		return (tbuf_file_tell(m, s->sample == NULL ? 0 :
		    (uint32_t)s->sample->pid, arguments, result));
	case TBUF_SUB_USTACK:
		return (tbuf_script_frames(m, arguments[0], arguments[1]));
	case TBUF_SUB_RAISE:
		if (arguments[0] > (uint64_t)SIGRTMAX)
			return (TBUF_FAULT_ILLEGAL);
		(void)kill(subject(s), (int)arguments[0]);
		return (0);
	case TBUF_SUB_STOP:
		(void)kill(subject(s), SIGSTOP);
		return (0);
	case TBUF_SUB_CHILL:
		return (chill(s, arguments[0]));
	default:
		return (TBUF_FAULT_ILLEGAL);
	}
}

/* Returns true if bytes are of a text or of bytes that a record contains. */
static bool
is_recorded(const struct tbuf_machine *m, uint64_t address, uint64_t size)
{
	const struct tbuf_bytes *bytes;
	uint64_t from, length;
	unsigned n;

	for (n = 0; n < m->nargs; n++) {
		if (m->values[n] == 0 ||
		    tbuf_class_of(m->types[n]) != TBUF_CLASSES_TEXT)
			continue;
		bytes = (const struct tbuf_bytes *)(uintptr_t)m->values[n];
		if (m->types[n] == TBUF_STRING) {
			from = m->values[n];
			length = strlen((const char *)bytes) + 1;
		} else {
			from = (uintptr_t)bytes->data;
			length = bytes->size;
		}
		if (address - from <= length &&
		    size <= length - (address - from))
			return (true);
	}
	return (false);
}

/*
 * Copies in a replay from the record's texts, else from this process's own
 * memory (where pr_argv of curpsinfo points to) or the present memory of a
 * process that was sampled, by a system call, which checks the address.
 */
int
tbuf_script_copyin(struct tbuf_machine *m, uint64_t address, uint8_t *to,
    uint64_t size)
{
	struct iovec local = { .iov_base = to, .iov_len = size };
	struct iovec remote = {
		.iov_base = (void *)(uintptr_t)address, .iov_len = size
	};

	if (size == 0)
		return (0);
	if (tbuf_script_of(m)->record != NULL) {
		if (!is_recorded(m, address, size))
			return (TBUF_FAULT_ADDRESS);
		memcpy(to, (const void *)(uintptr_t)address, size);
		return (0);
	}
	return (process_vm_readv(subject(tbuf_script_of(m)), &local, 1, &remote,
	    1, 0) == (ssize_t)size ? 0 : TBUF_FAULT_ADDRESS);
}
