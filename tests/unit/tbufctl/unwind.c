/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * How often the modules of a process are read to unwind its stacks.  libdw and
 * the access to the process are interposed.
 */
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/helper_process.h"
#include "base/messages.h"
#include "base/pipe_message.h"
#include "debuginfo/dwarf.h"
#include "debuginfo/unwind.h"
#include "lib/check_main.h"

/* check.h comes last, as its fail is a macro. */
#include <check.h>

#if defined(__x86_64__)
#define REGISTERS	17u
#else
#define REGISTERS	33u
#endif

/* A process with modules below the address `mapped`. */
static struct {
	uint64_t mapped, read, reads;
	bool files;		/* its mappings were passed */
} *process;

static struct parcel parcel;
static pid_t child;
static int end;

/* ------------------------------------------------------------ interposed */

Dwfl *
dwarf_open_process(pid_t pid)
{
	(void)pid;
	process->reads++;
	process->read = process->mapped;
	return ((Dwfl *)(void *)process);
}

Dwfl *
dwarf_open_mapped(const struct dwarf_mapped *all, size_t count)
{
	process->files = count == 1 && all->start == 4096 &&
	    all->offset == 512 && all->inode == 7 &&
	    strcmp(all->path, "/a/file") == 0;
	return (dwarf_open_process(0));
}

Dwfl_Module *
dwfl_addrmodule(Dwfl *dwfl, Dwarf_Addr address)
{
	return (address < process->read ? (Dwfl_Module *)(void *)dwfl : NULL);
}

void
dwfl_end(Dwfl *dwfl)
{
	(void)dwfl;
}

bool
dwfl_attach_state(Dwfl *dwfl, Elf *elf, pid_t pid,
    const Dwfl_Thread_Callbacks *callbacks, void *arg)
{
	(void)dwfl;
	(void)elf;
	(void)pid;
	(void)callbacks;
	(void)arg;
	return (true);
}

bool
dwfl_thread_state_registers(Dwfl_Thread *thread, int first, unsigned n,
    const Dwarf_Word *values)
{
	(void)thread;
	(void)first;
	(void)n;
	(void)values;
	return (true);
}

void
dwfl_thread_state_register_pc(Dwfl_Thread *thread, Dwarf_Word pc)
{
	(void)thread;
	(void)pc;
}

bool
dwfl_frame_pc(Dwfl_Frame *frame, Dwarf_Addr *pc, bool *exact)
{
	(void)frame;
	*pc = 0;
	*exact = false;
	return (true);
}

/* The first frame is known, so this adds one more. */
int
dwfl_getthread_frames(Dwfl *dwfl, pid_t tid,
    int (*callback)(Dwfl_Frame *, void *), void *arg)
{
	(void)dwfl;
	(void)tid;
	static char frame;

	(void)callback((Dwfl_Frame *)(void *)&frame, arg);
	return (callback((Dwfl_Frame *)(void *)&frame, arg));
}

void
reader_lower(void)
{
}

void
reader_confine(unsigned seconds)
{
	(void)seconds;
}

int
reader_alone(int fd)
{
	return (fd);
}

bool
reader_write(int fd, const void *bytes, size_t size)
{
	return (write(fd, bytes, size) == (ssize_t)size);
}

bool
reader_read(int fd, void *bytes, size_t size)
{
	return (recv(fd, bytes, size, MSG_WAITALL) == (ssize_t)size);
}

void *
memory_get(void *old, size_t count, size_t size)
{
	void *p = reallocarray(old, count, size);

	if (p == NULL)
		abort();
	return (p);
}

/* ------------------------------------------------------------ tests */

static void
setup(void)
{
	int ends[2];

	process = mmap(NULL, sizeof(*process), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(process, MAP_FAILED);
	process->mapped = 4096;
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	child = fork();
	ck_assert_int_ne(child, -1);
	if (child == 0) {
		(void)close(ends[0]);
		unwind_answer(ends[1]);
	}
	(void)close(ends[1]);
	end = ends[0];
}

static void
teardown(void)
{
	(void)close(end);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	(void)munmap(process, sizeof(*process));
	parcel_free(&parcel);
}

/*
 * Unwinds stacks of a thread at this address; pid 0 means an ended process.
 * Returns how often modules were read.
 */
static uint64_t
unwound_of(uint64_t pid, uint64_t pc, unsigned stacks)
{
	uint64_t before = process->reads;
	unsigned i;

	for (; stacks > 0; stacks--) {
		parcel.used = 0;
		parcel_put(&parcel, pid);
		parcel_put(&parcel, 1);
		for (i = 1; i < REGISTERS; i++)
			parcel_put(&parcel, 0);
		parcel_put(&parcel, pc);
		parcel_put_bytes(&parcel, NULL, 0);
		if (pid == 0) {
			parcel_put(&parcel, 4096);
			parcel_put(&parcel, 512);
			parcel_put(&parcel, 7);
			parcel_put_text(&parcel, "/a/file");
		}
		ck_assert(parcel_send(&parcel, end));
		ck_assert(parcel_receive(&parcel, end));
	}
	return (process->reads - before);
}

static uint64_t
unwound(uint64_t pc, unsigned stacks)
{
	return (unwound_of(1, pc, stacks));
}

START_TEST(modules_that_are_known_are_read_once)
{
	ck_assert_uint_eq(unwound(100, 1000), 1);
}
END_TEST

START_TEST(a_module_that_is_loaded_is_read_at_once)
{
	ck_assert_uint_eq(unwound(100, 1), 1);
	process->mapped = 8192;
	ck_assert_uint_eq(unwound(5000, 1), 1);
	process->mapped = 16384;
	ck_assert_uint_eq(unwound(10000, 1), 1);
	ck_assert_uint_eq(unwound(10000, 100), 0);
}
END_TEST

START_TEST(code_in_no_module_is_looked_for_now_and_then)
{
	uint64_t reads = unwound(5000, 10000);

	ck_assert_uint_gt(reads, 10);
	ck_assert_uint_lt(reads, 30);
	process->mapped = 8192;
	ck_assert_uint_eq(unwound(5000, 3000), 1);
}
END_TEST

START_TEST(a_process_that_has_ended_is_what_it_had_mapped)
{
	ck_assert_uint_eq(unwound_of(0, 100, 10), 1);
	ck_assert(process->files);
}
END_TEST

START_TEST(what_was_read_of_a_process_serves_when_it_has_ended)
{
	ck_assert_uint_eq(unwound(100, 1), 1);
	ck_assert_uint_eq(unwound_of(0, 100, 10), 0);
	process->mapped = 8192;
	ck_assert_uint_eq(unwound_of(0, 5000, 10), 1);
	ck_assert(process->files);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("unwind");
	TCase *tcase = tcase_create("unwind");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, modules_that_are_known_are_read_once);
	tcase_add_test(tcase, a_module_that_is_loaded_is_read_at_once);
	tcase_add_test(tcase, a_process_that_has_ended_is_what_it_had_mapped);
	tcase_add_test(tcase,
	    what_was_read_of_a_process_serves_when_it_has_ended);
	tcase_add_test(tcase, code_in_no_module_is_looked_for_now_and_then);
	suite_add_tcase(suite, tcase);
	return (run_suite(suite));
}
