/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Cases, targets and tallies (guest.h).
 */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest.h"
#include "lib/scratch.h"

#define LOCK_PATH	"glibc.pthread.rseq=0"

static const struct guest_case *current;
static char directory[64];
static unsigned page_fd;	/* page of the target being started */

bool
guest_locks(void)
{
	const char *tunables = getenv("GLIBC_TUNABLES");

	return (tunables != NULL && strstr(tunables, LOCK_PATH) != NULL);
}

bool
guest_filtered(void)
{
	return (prctl(PR_GET_SECCOMP) == SECCOMP_MODE_FILTER);
}

void
guest_skip(const char *why)
{
	printf("%s: skipped: %s\n", current->name, why);
	fflush(stdout);
	_exit(GUEST_SKIP);
}

void
guest_fail(const char *file, int line, const char *format, ...)
{
	va_list ap;

	fprintf(stderr, "%s:%d: %s (%s): ", file, line,
	    current == NULL ? "?" : current->name,
	    guest_locks() ? "locks" : "rseq");
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fprintf(stderr, "\n");
	_exit(1);
}

void
guest_fire(struct guest_page *page, uint64_t n)
{
	const char *text = "a text of some bytes";
	uint64_t number;

	for (number = 0; number < n; number++) {
		page->before++;
		TBUF_PROBE(guest, fire, number, text);
		page->after++;
	}
}

const char *
guest_directory(void)
{
	return (directory[0] != '\0' ? directory : getenv("GUEST_DIR"));
}

const char *
guest_build_path(const char *name)
{
	static char path[1024];
	const char *top = getenv("top_builddir");

	snprintf(path, sizeof(path), "%s/tests/guest/support/%s",
	    top == NULL ? "." : top, name);
	return (path);
}

/* ------------------------------------------------------------ cases */

static void
directory_make(void)
{
	scratch_directory(directory, sizeof(directory));
	/* Other users may have to pass through it. */
	if (chmod(directory, 0711) != 0 ||
	    setenv("GUEST_DIR", directory, 1) != 0)
		err(1, "%s", directory);
	setenv("TBUF_DIR", directory, 1);
}

static const struct guest_case *
case_find(const struct guest_case *cases, const char *name)
{
	for (; cases->name != NULL; cases++)
		if (strcmp(cases->name, name) == 0)
			return (cases);
	errx(2, "no case %s", name);
}

/*
 * Runs a case in a process of its own, so that constructors see its
 * surroundings.
 */
static int
case_run(const struct guest_case *c, bool locks)
{
	char *argv[] = { (char *)(uintptr_t)"/proc/self/exe",
	    (char *)(uintptr_t)"-r", (char *)(uintptr_t)c->name, NULL };
	int status;
	pid_t pid;

	printf("%s (%s)\n", c->name, locks ? "locks" : "rseq");
	fflush(stdout);
	if ((pid = fork()) == -1)
		err(1, "fork");
	if (pid == 0) {
		if (locks)
			setenv("GLIBC_TUNABLES", LOCK_PATH, 1);
		execv(argv[0], argv);
		err(1, "%s", argv[0]);
	}
	while (waitpid(pid, &status, 0) == -1 && errno == EINTR)
		continue;
	if (WIFSIGNALED(status))
		warnx("%s: %s", c->name, strsignal(WTERMSIG(status)));
	return (WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

static bool
case_possible(const struct guest_case *c)
{
	const char *sanitizer = getenv("SANITIZER");

	if ((c->flags & GUEST_PLAIN) != 0 && sanitizer != NULL &&
	    *sanitizer != '\0') {
		printf("%s: skipped: built with a sanitizer\n", c->name);
		return (false);
	}
	if ((c->flags & GUEST_ROOT) != 0 && geteuid() != 0) {
		printf("%s: skipped: not root\n", c->name);
		return (false);
	}
	return (true);
}

static int
all_run(const struct guest_case *c)
{
	int failures = 0, status;
	unsigned path;

	directory_make();
	for (; c->name != NULL; c++) {
		if (!case_possible(c))
			continue;
		for (path = 0; path < (c->flags & GUEST_ONCE ? 1 : 2);
		    path++) {
			status = case_run(c, path != 0);
			if (status != 0 && status != GUEST_SKIP)
				failures++;
		}
	}
	scratch_remove(directory);
	return (failures);
}

void
guest_main(int argc, char **argv, const struct guest_case *cases)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc < 3) {
		if (argc == 2)
			errx(2, "usage: %s [-r case]", argv[0]);
		exit(all_run(cases) != 0);
	}
	if (strcmp(argv[1], "-r") == 0 && getenv("GUEST_DIR") == NULL) {
		/* Called by hand with the same surroundings. */
		current = case_find(cases, argv[2]);
		directory_make();
		argc = case_run(current, guest_locks());
		scratch_remove(directory);
		exit(argc);
	}
	current = case_find(cases, argv[2]);
	if (strcmp(argv[1], "-r") == 0)
		current->run();
	else
		current->target(guest_page_get(argv[3]), argv[4]);
	exit(0);
}

/* ------------------------------------------------------------ tracing */

struct tbuf_consumer *
guest_consumer(const char *policy, const char *bufsize)
{
	struct tbuf_consumer *c = tbuf_consumer_new();

	GUEST_EXPECT(c != NULL, "no consumer: %s", strerror(errno));
	GUEST_EXPECT(tbuf_consumer_set(c, "bufpolicy", policy) == 0 &&
	    tbuf_consumer_set(c, "bufsize", bufsize) == 0 &&
	    tbuf_consumer_set(c, "switchrate", "50hz") == 0 &&
	    tbuf_consumer_enable(c, "guest:::") == 0, "%s",
	    tbuf_consumer_error(c));
	return (c);
}

void
guest_go(struct tbuf_consumer *c)
{
	GUEST_EXPECT(tbuf_consumer_go(c) == 0, "%s", tbuf_consumer_error(c));
}

struct tbuf_consumer *
guest_begin(const char *policy, const char *bufsize)
{
	struct tbuf_consumer *c = guest_consumer(policy, bufsize);

	GUEST_EXPECT(tbuf_consumer_grab(c, getpid()) == 0, "%s",
	    tbuf_consumer_error(c));
	guest_go(c);
	return (c);
}

static void
take_unit(const struct tbuf_unit_info *unit, struct guest_tally *tally)
{
	if (!unit->ended) {
		tally->unfinished++;
		return;
	}
	tally->in_units++;
	if (unit->id != tally->unit_id && unit->outcome >= 0 &&
	    unit->outcome < 4)
		tally->units[unit->outcome]++;
	tally->unit_id = unit->id;
}

static void
take_record(const struct tbuf_record *record, struct guest_tally *tally)
{
	tally->records++;
	if (record->cpu >= 0 && record->cpu < 64)
		tally->on_cpu[record->cpu]++;
	tally->by_tid[record->tid != (uint32_t)record->pid]++;
	if (record->unit != NULL)
		take_unit(record->unit, tally);
}

void
guest_take(struct tbuf_consumer *c, struct guest_tally *tally)
{
	struct tbuf_event event;
	int result;

	while ((result = tbuf_consumer_next(c, &event)) > 0) {
		switch (event.type) {
		case TBUF_EVENT_RECORD:
			take_record(&event.record, tally);
			break;
		case TBUF_EVENT_DROPS:
			tally->drops += event.count;
			tally->causes[event.cause] += event.count;
			break;
		case TBUF_EVENT_UNIT_DROPS:
			tally->drops += event.count;
			break;
		case TBUF_EVENT_DISCARDED:
			tally->discarded += event.count;
			break;
		case TBUF_EVENT_UNITS:
			tally->without += event.count;
			break;
		case TBUF_EVENT_OVERWRITTEN:
		case TBUF_EVENT_UNIT_OVERWRITTEN:
			tally->overwritten += event.count;
			break;
		case TBUF_EVENT_EXIT:
			tally->exited = true;
			tally->status = event.status;
			tally->signal = event.signal;
			break;
		case TBUF_EVENT_DAMAGE:
			guest_fail(__FILE__, __LINE__, "%" PRIu64
			    " damaged bytes on CPU %d", event.count,
			    event.cpu);
			break;
		case TBUF_EVENT_LOST:
		default:
			guest_fail(__FILE__, __LINE__, "%" PRIu64
			    " probes are beyond a limit", event.count);
		}
	}
	GUEST_EXPECT(result == 0, "%s", tbuf_consumer_error(c));
}

void
guest_end(struct tbuf_consumer *c, struct guest_tally *tally)
{
	int result;

	while ((result = tbuf_consumer_work(c)) > 0)
		guest_take(c, tally);
	GUEST_EXPECT(result == 0, "%s", tbuf_consumer_error(c));
	guest_take(c, tally);
	tbuf_consumer_close(c);
}

void
guest_finish(struct tbuf_consumer *c, struct guest_tally *tally)
{
	tbuf_consumer_stop(c);
	guest_end(c, tally);
}

void
guest_account(const struct guest_tally *tally, uint64_t fired)
{
	GUEST_EXPECT(tally->records + tally->drops + tally->overwritten ==
	    fired, "fired %" PRIu64 ", but %" PRIu64 " records + %" PRIu64
	    " drops + %" PRIu64 " overwritten", fired, tally->records,
	    tally->drops, tally->overwritten);
}

/* ------------------------------------------------------------ targets */

/* Makes the page as a memory file with a descriptor that exec keeps. */
static struct guest_page *
page_new(char number[16])
{
	struct guest_page *page;
	int low = memfd_create("guest", 0);
	int fd = fcntl(low, F_DUPFD, GUEST_PAGE_FD);

	if (fd == -1 || ftruncate(fd, sizeof(*page)) != 0)
		err(1, "memfd");
	close(low);
	page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED,
	    fd, 0);
	if (page == MAP_FAILED)
		err(1, "mmap");
	snprintf(number, 16, "%d", fd);
	page_fd = (unsigned)fd;
	return (page);
}

void
guest_close_from(unsigned lowest)
{
	close_range(lowest, page_fd - 1, 0);
	close_range(page_fd + 1, UINT_MAX, 0);
}

void
guest_close_others(void)
{
	guest_close_from(0);
}

struct guest_page *
guest_command(const char *policy, const char *bufsize, const char *argument,
    struct guest_tally *tally)
{
	struct tbuf_consumer *c = guest_consumer(policy, bufsize);
	char self[512], number[16];
	struct guest_page *page = page_new(number);
	char *argv[] = { self, (char *)(uintptr_t)"-t",
	    (char *)(uintptr_t)current->name, number,
	    (char *)(uintptr_t)argument, NULL };
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n < 0 ? 0 : n] = '\0';
	GUEST_EXPECT(tbuf_consumer_spawn(c, argv, NULL) > 0, "%s",
	    tbuf_consumer_error(c));
	close(atoi(number));
	guest_go(c);
	guest_end(c, tally);
	return (page);
}

pid_t
guest_start_program(struct guest_page **page, void (*prepare)(void),
    const char *program, const char *argument)
{
	char number[16];
	pid_t pid;

	*page = page_new(number);
	if ((pid = fork()) == -1)
		err(1, "fork");
	if (pid == 0) {
		/* A target must not outlive a case that has failed. */
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		if (prepare != NULL)
			prepare();
		execl(program, program, "-t", current->name, number, argument,
		    (char *)NULL);
		_exit(127);
	}
	close(atoi(number));
	/* Wait for its first guest_next(). */
	guest_step(*page, pid);
	return (pid);
}

pid_t
guest_start(struct guest_page **page, void (*prepare)(void),
    const char *argument)
{
	return (guest_start_program(page, prepare, "/proc/self/exe",
	    argument));
}

static bool
dead(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	return (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) !=
	    0 || info.si_pid != 0);
}

void
guest_step(struct guest_page *page, pid_t pid)
{
	uint32_t step = page->told + 1;

	__atomic_store_n(&page->told, step, __ATOMIC_RELEASE);
	while (__atomic_load_n(&page->done, __ATOMIC_ACQUIRE) < step) {
		if (dead(pid) &&
		    __atomic_load_n(&page->done, __ATOMIC_ACQUIRE) < step) {
			guest_wait(page, pid);
			guest_fail(__FILE__, __LINE__,
			    "the target ended before step %u", step);
		}
		sched_yield();
	}
}

void
guest_wait_status(struct guest_page *page, pid_t pid, int expected)
{
	int status;

	__atomic_add_fetch(&page->told, 1, __ATOMIC_RELEASE);
	GUEST_EXPECT(waitpid(pid, &status, 0) == pid, "waitpid: %s",
	    strerror(errno));
	GUEST_EXPECT(!WIFSIGNALED(status), "the target died of %s",
	    strsignal(WTERMSIG(status)));
	GUEST_EXPECT(WEXITSTATUS(status) == expected,
	    "the target exited with %d", WEXITSTATUS(status));
}

void
guest_wait(struct guest_page *page, pid_t pid)
{
	guest_wait_status(page, pid, 0);
}
