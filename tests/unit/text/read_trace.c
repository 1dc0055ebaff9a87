/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The text trace in memory as other processes read and set it.
 */
#include <sys/mman.h>
#include <sys/procfs.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <check.h>
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fixture.h"
#include "layout/text_trace.h"
#include "lib/interposed_call.h"
#include "lib/scratch.h"
#include "tbuf_consumer.h"

/* ------------------------------------------------------------ read */

static unsigned traces;
static uint64_t bytes_read;

/* The library calls this pread(), not libc's. */
ssize_t	pread(int, void *, size_t, off_t);
ssize_t
pread(int fd, void *to, size_t size, off_t at)
{
	ssize_t n = syscall(SYS_pread64, fd, to, size, at);

	bytes_read += n > 0 ? (uint64_t)n : 0;
	return (n);
}
INTERPOSED(pread);

/* Copies the text of the library's reader, as text_hold() would. */
static int
take_unwrapped(void *unused, const struct tbuf_unwrapped *u)
{
	(void)unused;
	ck_assert_int_eq(u->pid, getpid());
	ck_assert_str_eq(u->comm, program_invocation_short_name);
	ck_assert_uint_le(u->size, sizeof(text_held));
	memcpy(text_held, u->text, u->size);
	text_held_size = u->size;
	traces++;
	return (0);
}

/* The reader returns all lines in order, at any place of the chunk's end. */
START_TEST(a_trace_is_put_in_order)
{
	static char expected[sizeof(text_held)];
	unsigned seed = text_seed();
	size_t size;
	uint32_t i;

	ck_assert_int_eq(tbuf_unwrap_pid(getpid(), take_unwrapped, NULL),
	    -ESRCH);
	text_set("traceFacility=Memory;traceMemoryBufferKbytes=16");
	ck_assert_int_eq(tbuf_unwrap_pid(getpid(), take_unwrapped, NULL), 0);
	ck_assert_uint_eq(text_held_size, 0);
	for (i = 0; i < 1000; i++) {
		text_print(i, (unsigned)rand_r(&seed) % 300);
		text_hold();
		memcpy(expected, text_held, text_held_size);
		size = text_held_size;
		ck_assert_int_eq(tbuf_unwrap_pid(getpid(), take_unwrapped,
		    NULL), 0);
		ck_assert_uint_eq(text_held_size, size);
		ck_assert_int_eq(memcmp(text_held, expected, size), 0);
	}
	ck_assert_uint_eq(traces, 1001);
}
END_TEST

static int
take_size(void *size, const struct tbuf_unwrapped *u)
{
	*(size_t *)size = u->size;
	return (0);
}

/* A file says that it has 1 GiB of text, and has one page. */
START_TEST(a_trace_that_is_a_hole_is_not_all_read)
{
	static const char line[] = "a line\n";
	struct tbuf_trace t = { .version = TBUF_TRACE_VERSION,
	    .head = sizeof(t), .size = UINT64_C(1) << 30 };
	int fd = memfd_create("trace", MFD_CLOEXEC);
	size_t size = 0;
	char path[64];

	ck_assert_int_ne(fd, -1);
	memcpy(t.eye, TBUF_TRACE_EYE, sizeof(t.eye));
	t.next = t.reserved = t.size;
	ck_assert_int_eq(pwrite(fd, &t, sizeof(t), 0), sizeof(t));
	ck_assert_int_eq(pwrite(fd, line, sizeof(line) - 1, sizeof(t)),
	    sizeof(line) - 1);
	ck_assert_int_eq(ftruncate(fd, (off_t)(sizeof(t) + t.size)), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	bytes_read = 0;
	ck_assert_int_eq(tbuf_unwrap_file(path, take_size, &size), 0);
	ck_assert_uint_eq(size, sizeof(line) - 1);
	ck_assert_uint_lt(bytes_read, 1 << 20);
	close(fd);
}
END_TEST

static volatile bool writing;

static void *
writer(void *unused)
{
	uint32_t i;

	(void)unused;
	for (i = 0; writing; i++) {
		char text[200];

		text_message(i, i % 100, text);
		tbuf_text(&text_store, TBUF_INFO, "%s", text);
	}
	return (NULL);
}

/* A reader during writes gets whole lines in order, without gaps. */
START_TEST(a_trace_is_read_while_it_is_written)
{
	uint32_t first, last, before = 0;
	pthread_t other;
	unsigned i;
	int error;

	text_set("traceFacility=Memory;traceMemoryBufferKbytes=16");
	writing = true;
	pthread_create(&other, NULL, writer, NULL);
	for (i = 0; i < 2000; i++) {
		error = tbuf_unwrap_pid(getpid(), take_unwrapped, NULL);
		/* All of the chunk may be overwritten during a read. */
		ck_assert(error == 0 || error == -EINVAL);
		if (error == 0 && text_held_size > 0) {
			text_lines_good(&first, &last);
			ck_assert_uint_ge(last, before);
			before = last;
		}
	}
	writing = false;
	pthread_join(other, NULL);
	ck_assert_uint_gt(traces, 0);
}
END_TEST

/* Control characters of any process are replaced. */
START_TEST(a_trace_has_no_control_characters)
{
	static const char line[] = "a\x1b[2Jb\x7f" "c\xc2\x9b" "1md\xc3\xa9";
	static const char given[] = "a?[2Jb?c??1md\xc3\xa9\n";
	char *text;

	text_set("traceFacility=Memory;traceMemoryBufferKbytes=16");
	tbuf_text(&text_store, TBUF_INFO, "%*s", (int)sizeof(line) - 1, "");
	/* tbuf_text() itself would not write these bytes. */
	text = (char *)(tbuf_text_own->trace + 1) +
	    tbuf_text_own->trace->next - sizeof(line);
	memcpy(text, line, sizeof(line) - 1);
	ck_assert_int_eq(tbuf_unwrap_pid(getpid(), take_unwrapped, NULL), 0);
	ck_assert_uint_ge(text_held_size, sizeof(given) - 1);
	ck_assert_int_eq(memcmp(text_held + text_held_size -
	    (sizeof(given) - 1), given, sizeof(given) - 1), 0);
}
END_TEST

/* A copy that ends early, as in a core, still yields whole lines. */
START_TEST(a_trace_that_is_cut_has_whole_lines)
{
	char path[600], copy[600];
	static char bytes[16384];
	const struct dirent *entry;
	uint32_t first, last, i;
	ssize_t n;
	DIR *d;
	int fd;

	text_set("traceFacility=Memory;traceMemoryBufferKbytes=16");
	for (i = 0; i < 300; i++)
		text_print(i, 50);
	d = opendir(text_directory);
	while ((entry = readdir(d)) != NULL)
		if (strncmp(entry->d_name, "text.", 5) == 0)
			strcpy(path, text_file_path(entry->d_name));
	closedir(d);
	fd = open(path, O_RDONLY);
	ck_assert_int_eq(read(fd, bytes, sizeof(bytes)), sizeof(bytes));
	close(fd);
	strcpy(copy, text_file_path("copy"));
	for (n = sizeof(bytes); n >= 128; n -= 97) {
		fd = open(copy, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		ck_assert_int_eq(write(fd, bytes, (size_t)n), n);
		close(fd);
		text_held_size = 0;
		ck_assert_int_eq(tbuf_unwrap_file(copy, take_unwrapped, NULL),
		    0);
		for (i = 0; i < text_held_size; i++)
			ck_assert(i > 0 && text_held[i - 1] != '\n' ? true :
			    strncmp(text_held + i, "20", 2) == 0);
		ck_assert(text_held_size == 0 ||
		    text_held[text_held_size - 1] == '\n');
	}
	ck_assert_int_eq(tbuf_unwrap_file(path, take_unwrapped, NULL), 0);
	ck_assert_uint_gt(text_lines_good(&first, &last), 100);
	ck_assert_uint_eq(last, 299);
}
END_TEST

/* Writes pages that each begin with the header of a trace of the whole rest. */
static void
core_pages(FILE *f, unsigned n)
{
	static char page[4096];
	struct tbuf_trace *trace = (struct tbuf_trace *)(void *)page;
	const uint64_t size = 65536 - sizeof(*trace);

	memset(page, 'x', sizeof(page));
	page[sizeof(page) - 1] = '\n';
	*trace = (struct tbuf_trace){ .version = TBUF_TRACE_VERSION,
	    .head = sizeof(*trace), .size = size, .reserved = size,
	    .next = size };
	memcpy(trace->eye, TBUF_TRACE_EYE, sizeof(trace->eye));
	while (n-- > 0)
		fwrite(page, sizeof(page), 1, f);
}

static int
count_unwrapped(void *unused, const struct tbuf_unwrapped *u)
{
	(void)unused;
	text_held_size += u->size;
	traces++;
	return (0);
}

/* A core yields no more text than it has bytes, with any contents. */
START_TEST(no_byte_of_a_core_is_given_twice)
{
	enum { FIRST = 8, SECOND = 2 };
	const Elf64_Phdr segments[] = {
		{ .p_type = PT_LOAD, .p_offset = 4096,
		    .p_filesz = FIRST * 4096 },
		{ .p_type = PT_LOAD, .p_offset = (1 + FIRST) * 4096,
		    .p_filesz = SECOND * 4096 }
	};
	Elf64_Ehdr elf = { .e_type = ET_CORE, .e_phoff = sizeof(elf),
	    .e_phentsize = sizeof(segments[0]), .e_phnum = 2 };
	char core[600];
	FILE *f;

	strcpy(core, text_file_path("core"));
	f = fopen(core, "we");
	ck_assert_ptr_nonnull(f);
	memcpy(elf.e_ident, ELFMAG, SELFMAG);
	elf.e_ident[EI_CLASS] = ELFCLASS64;
	elf.e_ident[EI_DATA] = ELFDATA2LSB;
	fwrite(&elf, sizeof(elf), 1, f);
	fwrite(segments, sizeof(segments), 1, f);
	fseek(f, 4096, SEEK_SET);
	core_pages(f, FIRST + SECOND);
	ck_assert_int_eq(fclose(f), 0);
	text_held_size = 0;
	ck_assert_int_eq(tbuf_unwrap_file(core, count_unwrapped, NULL), 0);
	ck_assert_uint_eq(traces, 2);
	ck_assert_uint_eq(text_held_size, (FIRST + SECOND) * 4096 -
	    2 * sizeof(struct tbuf_trace));
}
END_TEST

/* ------------------------------------------------------------ named */

/* Finds the chunk's mapping in /proc/self/maps. */
static void
text_mapping(char *path, size_t size)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[1024];
	uintptr_t start;

	ck_assert_ptr_nonnull(f);
	*path = '\0';
	while (fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%" SCNxPTR, &start) == 1 &&
		    start == (uintptr_t)tbuf_text_own->trace)
			snprintf(path, size, "%s", strchr(line, '/'));
	}
	fclose(f);
	ck_assert_str_ne(path, "");
}

static void
core_note(FILE *f, uint32_t type, const void *data, size_t size)
{
	const Elf64_Nhdr head = { 5, (uint32_t)size, type };

	fwrite(&head, sizeof(head), 1, f);
	fwrite("CORE\0\0\0", 8, 1, f);
	fwrite(data, size, 1, f);
	fwrite("\0\0\0", -size % 4, 1, f);
}

/* Writes a core of a process that has only this mapping, without its bytes. */
static void
core_write(const char *file, pid_t pid, const char *mapping)
{
	const Elf64_Phdr notes = { .p_type = PT_NOTE, .p_filesz = 4096,
	    .p_offset = sizeof(Elf64_Ehdr) + sizeof(notes) };
	Elf64_Ehdr elf = { .e_type = ET_CORE, .e_phoff = sizeof(elf),
	    .e_phentsize = sizeof(notes), .e_phnum = 1 };
	struct { uint64_t words[5]; char path[600]; } files = {
	    .words = { 1, 4096, 4096, 8192, 0 } };
	struct elf_prpsinfo info = { .pr_pid = pid };
	FILE *f = fopen(file, "we");

	ck_assert_ptr_nonnull(f);
	memcpy(elf.e_ident, ELFMAG, SELFMAG);
	elf.e_ident[EI_CLASS] = ELFCLASS64;
	elf.e_ident[EI_DATA] = ELFDATA2LSB;
	snprintf(files.path, sizeof(files.path), "%s", mapping);
	fwrite(&elf, sizeof(elf), 1, f);
	fwrite(&notes, sizeof(notes), 1, f);
	core_note(f, NT_PRPSINFO, &info, sizeof(info));
	core_note(f, NT_FILE, &files, sizeof(files));
	ck_assert_int_eq(fclose(f), 0);
}

static int
unwrap_core(pid_t pid, const char *mapping)
{
	char core[600];

	strcpy(core, text_file_path("core"));
	core_write(core, pid, mapping);
	return (tbuf_unwrap_file(core, take_unwrapped, NULL));
}

/* A core without the trace names its file, which must be that process's. */
START_TEST(a_core_without_the_trace_names_its_file)
{
	char mapping[600], elsewhere[600], name[600];
	const char *path;
	struct dirent **names;
	int n;

	text_set("traceFacility=Memory;traceMemoryBufferKbytes=16");
	text_print(0, 50);
	text_mapping(mapping, sizeof(mapping));
	ck_assert_int_eq(unwrap_core(getpid(), mapping), 0);
	ck_assert_uint_eq(traces, 1);
	text_lines_good(&(uint32_t){ 0 }, &(uint32_t){ 0 });
	/* On file systems without unnamed files, the mapping has a name. */
	n = scandir(text_directory, &names, NULL, alphasort);
	ck_assert_int_gt(n, 0);
	strcpy(name, text_file_path(names[n - 1]->d_name));
	while (n > 0)
		free(names[--n]);
	free(names);
	ck_assert_int_eq(unwrap_core(getpid(), name), 0);
	ck_assert_uint_eq(traces, 2);
	/* Refused: another process, file or directory, or no file. */
	ck_assert_int_eq(unwrap_core(getpid() + 1, name), -ENODATA);
	ck_assert_int_eq(unwrap_core(0, name), -ENODATA);
	path = text_file_path("#1 (deleted)");
	ck_assert_int_eq(unwrap_core(getpid(), path), -ENODATA);
	snprintf(elsewhere, sizeof(elsewhere), "/nowhere%s",
	    strrchr(name, '/'));
	ck_assert_int_eq(unwrap_core(getpid(), elsewhere), -ENODATA);
	ck_assert_int_eq(unlink(name), 0);
	ck_assert_int_eq(symlink("/etc/passwd", name), 0);
	ck_assert_int_eq(unwrap_core(getpid(), name), -ENODATA);
	ck_assert_int_eq(unlink(name), 0);
	ck_assert_int_eq(mkfifo(name, 0600), 0);
	ck_assert_int_eq(unwrap_core(getpid(), name), -ENODATA);
	ck_assert_uint_eq(traces, 2);
}
END_TEST

/* A file with this name has the text of another process. */
START_TEST(a_core_is_given_no_other_process_s_trace)
{
	char mapping[600];

	text_set("traceFacility=Memory;traceMemoryBufferKbytes=16");
	text_mapping(mapping, sizeof(mapping));
	tbuf_text_own->trace->pid++;
	ck_assert_int_eq(unwrap_core(getpid(), mapping), -ENODATA);
	tbuf_text_own->trace->pid--;
	ck_assert_int_eq(unwrap_core(getpid(), mapping), 0);
}
END_TEST

/* The trace is found by its process, although TBUF_DIR differs here. */
START_TEST(a_trace_is_found_in_any_directory)
{
	char mapping[600];

	text_set("traceFacility=Memory;traceMemoryBufferKbytes=16");
	text_print(0, 50);
	text_mapping(mapping, sizeof(mapping));
	ck_assert_int_eq(setenv("TBUF_DIR", "/nowhere", 1), 0);
	ck_assert_int_eq(tbuf_unwrap_pid(getpid(), take_unwrapped, NULL), 0);
	ck_assert_uint_eq(traces, 1);
	text_lines_good(&(uint32_t){ 0 }, &(uint32_t){ 0 });
	/* The process runs on, but its file is removed. */
	scratch_remove(text_directory);
	ck_assert_int_eq(tbuf_unwrap_pid(getpid(), take_unwrapped, NULL),
	    -ESRCH);
}
END_TEST

/* ------------------------------------------------------------ set */

/* Another process's setting takes effect with the next message, in full. */
START_TEST(others_set_it_with_the_next_message)
{
	struct tbuf_consumer *c = tbuf_consumer_new();
	char setting[600];

	ck_assert_ptr_nonnull(c);
	ck_assert_int_eq(tbuf_consumer_text(c, getpid(), "traceLevel=6"),
	    -EINVAL);
	ck_assert_int_eq(tbuf_consumer_text(c, getpid(),
	    "traceMemoryBufferKbytes=16"), -EINVAL);
	snprintf(setting, sizeof(setting), "traceFilePath=%s",
	    text_file_path("trace"));
	ck_assert_int_eq(tbuf_consumer_text(c, getpid(), setting), 0);
	ck_assert_int_eq(tbuf_consumer_text(c, getpid(),
	    "traceFacility=file"), 0);
	ck_assert_int_eq(tbuf_consumer_text(c, getpid(),
	    "traceLevel=severe"), 0);
	ck_assert(tbuf_text_wanted(&text_store, TBUF_FLOW));
	tbuf_text(&text_store, TBUF_FLOW, "not wanted after all");
	ck_assert(!tbuf_text_wanted(&text_store, TBUF_FLOW));
	tbuf_text(&text_store, TBUF_WARNING, "nor this");
	tbuf_text(&text_store, TBUF_SEVERE, "but this");
	ck_assert_str_eq(strchr(text_file_text("trace"), 's'),
	    "store severe: but this\n");
	/* A setting that fails is reported to the log. */
	ck_assert_int_eq(tbuf_consumer_text(c, getpid(),
	    "traceFilePath=/nowhere/trace"), 0);
	tbuf_text(&text_store, TBUF_SEVERE, "as before");
	ck_assert_uint_eq(text_nlogged, 1);
	ck_assert_ptr_nonnull(strstr(text_file_text("trace"), "as before\n"));
	/* The setting is too long. */
	memset(setting, ';', sizeof(setting));
	setting[590] = '\0';
	memcpy(setting, "traceLevel=5", 12);
	ck_assert_int_eq(tbuf_consumer_text(c, getpid(), setting), 0);
	ck_assert_int_eq(tbuf_consumer_text(c, getpid(), setting), -E2BIG);
	tbuf_consumer_close(c);
}
END_TEST

static int truncated = -1;		/* at the next mapping, if any */
static struct tbuf_consumer *mended;

/* Replaces the C library's mmap(). */
void *
mmap(void *address, size_t size, int protection, int flags, int fd, off_t at)
{
	void *p = (void *)syscall(SYS_mmap, address, size, protection, flags,
	    fd, at);

	if (fd != -1 && (protection & PROT_WRITE) != 0 && truncated != -1) {
		if (ftruncate(truncated, 0) != 0)
			abort();
		truncated = -1;
	}
	return (p);
}
INTERPOSED(mmap);

static void
mend(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	if (!tbuf_consumer_mend(mended, info->si_addr))
		_exit(1);
}

static int
own_file(void)
{
	char path[600], name[64];
	struct dirent *entry;
	DIR *dir = opendir(text_directory);

	ck_assert_ptr_nonnull(dir);
	*name = '\0';
	while ((entry = readdir(dir)) != NULL)
		if (strncmp(entry->d_name, "tbuf.", 5) == 0)
			snprintf(name, sizeof(name), "%.63s", entry->d_name);
	closedir(dir);
	snprintf(path, sizeof(path), "%s/%s", text_directory, name);
	return (open(path, O_RDWR | O_CLOEXEC));
}

/* The other process truncates its file while it is set. */
static void
truncate_meanwhile(int (*set)(struct tbuf_consumer *, pid_t, const char *),
    const char *setting)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO };
	int fd = own_file(), error;
	struct stat st;

	action.sa_sigaction = mend;
	ck_assert_int_eq(sigaction(SIGBUS, &action, NULL), 0);
	ck_assert_ptr_nonnull(mended = tbuf_consumer_new());
	ck_assert_int_eq(tbuf_recorder_start("nunits=2,probes=nosuch"), 0);
	ck_assert_int_eq(fstat(fd, &st), 0);
	truncated = fd;
	error = set(mended, getpid(), setting);
	/* This process has mapped the file, too, and needs its size. */
	ck_assert_int_eq(ftruncate(fd, st.st_size), 0);
	ck_assert_int_eq(truncated, -1);
	ck_assert_int_eq(error, -ESTALE);
	ck_assert_ptr_nonnull(strstr(tbuf_consumer_error(mended),
	    ": its control file was truncated"));
	tbuf_consumer_close(mended);
	close(fd);
}

START_TEST(a_file_truncated_while_text_is_set_is_told)
{
	truncate_meanwhile(tbuf_consumer_text, "traceLevel=5");
}
END_TEST

START_TEST(a_file_truncated_while_rules_are_set_is_told)
{
	truncate_meanwhile(tbuf_consumer_unitselect, "1:2");
}
END_TEST

#define MEMORY	"traceFacility=Memory;traceMemoryBufferKbytes=16"

/* Starts children of this name with a chunk each; half of them use exit(3). */
static void
leave_chunks(char *name, unsigned n, bool exits)
{
	unsigned i;

	for (i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			program_invocation_short_name = name;
			text_set(MEMORY);
			if (exits && i % 2 == 0)
				exit(0);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

/*
 * Chunks of dead processes are retained, by program, the youngest first; those
 * of processes that exited are not.
 */
START_TEST(of_the_dead_the_youngest_chunks_are_kept)
{
	char other[] = "another", name[] = "some";

	leave_chunks(other, 3, false);
	leave_chunks(name, 13, true);
	leave_chunks(name, 13, false);
	ck_assert_uint_eq(text_chunks(), 3 + 9);
	program_invocation_short_name = name;
	text_set(MEMORY);
	ck_assert_uint_eq(text_chunks(), 3 + 8 + 1);
}
END_TEST

/* TBUF_KEEP bounds the number of chunks, or their bytes. */
START_TEST(chunks_are_bounded_by_keep)
{
	static const struct {
		const char *keep;
		unsigned chunks;
	} cases[] = { { "2", 2 }, { "0", 0 }, { "9,48k", 3 }, { "x", 5 } };
	static char name[] = "some";
	unsigned i;

	program_invocation_short_name = name;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		setenv("TBUF_KEEP", "9", 1);
		leave_chunks(name, 5, false);
		setenv("TBUF_KEEP", cases[i].keep, 1);
		text_set(MEMORY);
		ck_assert_uint_eq(text_chunks(), cases[i].chunks + 1);
		text_set("traceFacility=Off");
		setenv("TBUF_KEEP", "0", 1);
		text_set("traceFacility=Memory");
		text_set("traceFacility=Off");
	}
}
END_TEST

static char last_line[64];	/* time of the last line, up to the Z */

static int
take_last(void *unused, const struct tbuf_unwrapped *u)
{
	const char *line = memrchr(u->text, '\n', u->size - 1);

	(void)unused;
	line = line == NULL ? u->text : line + 1;
	snprintf(last_line, sizeof(last_line), "%.*s",
	    (int)strcspn(line, "Z"), line);
	return (0);
}

static struct tbuf_left lefts[8];
static unsigned nlefts;

static int
take_left(void *unused, const struct tbuf_left *left)
{
	(void)unused;
	ck_assert_uint_lt(nlefts, 8);
	ck_assert_str_eq(left->program, program_invocation_short_name);
	lefts[nlefts] = *left;
	lefts[nlefts++].name = strdup(left->name);
	return (0);
}

/* The end is the last line's time, not the file's. */
static void
left_check(const struct tbuf_left *left)
{
	time_t seconds = (time_t)(left->wall / 1000000000);
	char when[64];
	size_t n;

	n = strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S.",
	    gmtime(&seconds));
	snprintf(when + n, sizeof(when) - n, "%06u",
	    (unsigned)(left->wall % 1000000000 / 1000));
	ck_assert_int_eq(tbuf_unwrap_pid(left->pid, take_last, NULL), 0);
	ck_assert_str_eq(when, last_line);
	ck_assert_uint_gt(left->bytes, 0);
}

static pid_t
leave_chunk(void (*end)(int))
{
	const struct timespec old[2] = { { 1, 0 }, { 1, 0 } };
	char pattern[64];
	glob_t found;
	pid_t pid;

	if ((pid = fork()) == 0) {
		text_print(1, 3000);
		text_print(2, 3000);
		end(0);
	}
	waitpid(pid, NULL, 0);
	snprintf(pattern, sizeof(pattern), "text.%d.*", (int)pid);
	ck_assert_int_eq(glob(text_file_path(pattern), 0, NULL, &found), 0);
	ck_assert_uint_eq(found.gl_pathc, 1);
	ck_assert_int_eq(utimensat(AT_FDCWD, found.gl_pathv[0], old, 0), 0);
	globfree(&found);
	return (pid);
}

/* Only traces of dead processes are listed; cores and other files stay. */
START_TEST(traces_of_the_dead_are_listed_and_removed)
{
	struct tbuf_left own = { .pid = getpid() };
	pid_t pids[2];
	glob_t found;
	char mapping[600], core[600];
	unsigned i;

	text_set("traceFacility=Memory;traceMemoryBufferKbytes=16");
	pids[0] = leave_chunk(_exit);
	pids[1] = leave_chunk(exit);
	text_mapping(mapping, sizeof(mapping));
	strcpy(core, text_file_path("text.1.0123456789abcdef"));
	core_write(core, getpid(), mapping);
	ck_assert_int_eq(tbuf_unwrap_file(core, take_unwrapped, NULL), 0);
	ck_assert_int_eq(tbuf_left(take_left, NULL), 0);
	ck_assert_uint_eq(nlefts, 2);
	for (i = 0; i < 2; i++) {
		ck_assert(lefts[i].pid == pids[0] || lefts[i].pid == pids[1]);
		ck_assert_int_eq(lefts[i].end, lefts[i].pid == pids[0] ?
		    TBUF_LEFT_UNKNOWN : TBUF_LEFT_EXIT);
		left_check(&lefts[i]);
		ck_assert_int_eq(tbuf_left_remove(&lefts[i]), 0);
		ck_assert_int_eq(tbuf_left_remove(&lefts[i]), -ENOENT);
	}
	snprintf(last_line, sizeof(last_line), "text.%d.*", (int)getpid());
	ck_assert_int_eq(glob(text_file_path(last_line), 0, NULL, &found), 0);
	own.name = strrchr(found.gl_pathv[0], '/') + 1;
	ck_assert_int_eq(tbuf_left_remove(&own), -EBUSY);
	globfree(&found);
	ck_assert_uint_eq(text_chunks(), 2);
}
END_TEST

int
main(void)
{
	const TTest *const tests[] = {
		of_the_dead_the_youngest_chunks_are_kept,
		chunks_are_bounded_by_keep,
		traces_of_the_dead_are_listed_and_removed,
		a_trace_is_put_in_order,
		a_trace_that_is_a_hole_is_not_all_read,
		a_trace_is_read_while_it_is_written,
		a_trace_has_no_control_characters,
		a_trace_that_is_cut_has_whole_lines,
		no_byte_of_a_core_is_given_twice,
		a_core_without_the_trace_names_its_file,
		a_core_is_given_no_other_process_s_trace,
		a_trace_is_found_in_any_directory,
		others_set_it_with_the_next_message,
		a_file_truncated_while_text_is_set_is_told,
		a_file_truncated_while_rules_are_set_is_told
	};

	return (text_main(tests, sizeof(tests) / sizeof(tests[0])));
}
