/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tables of findings: rows are read as they were written; a table that is
 * damaged, of another file, of another owner, or that does not agree with the
 * text is as good as none; and no bytes in it lead the reader out of its
 * memory.
 */
#include <sys/mman.h>
#include <sys/stat.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <check.h>

#include "lib/check_main.h"
#include "lib/scratch.h"
#include "syscall/site_table.h"

/*
 * A text with a place of each form, the function that can be cancelled, and a
 * call of it.
 */
__asm__(".text\n"
    "begin_text:\n"
    "first:\n\t"
    "mov $39,%eax\n\tsyscall\n\tret\n\tnop\n"
    "second:\n\t"
    "syscall\n\tcmp $-4096,%rax\n\tja first\n\tret\n\tnop\n"
    "caller:\n\t"
    "call function\n\tret\n\tnop\n"
    "function:\n\t"
    "mov %r11,8(%rsp)\n\tsyscall\n\tret\n\tnop\n"
    "third:\n\t"
    "lea first(%rip),%rdi\n\tsyscall\n\tjmp first\n"
    ".fill 64, 1, 0x90\n"
    "end_text:\n");
extern const uint8_t begin_text[], first[], second[], caller[], function[],
    third[], end_text[];

#define CANCEL	5u		/* offset of its instruction */

bool
syscall_is_cancel_arch(const struct patch_text *text, uintptr_t at)
{
	return (text->end - at >= 3 && memcmp((const void *)at,
	    "\x0f\x05\xc3", 3) == 0 && at - text->start >= CANCEL &&
	    ((const uint8_t *)at)[-5] == 0x4c);
}

/* The text, in a copy that a test may change. */
static struct patch_text text;
static uint8_t *copy;

static struct patch_table table;

static uintptr_t
at(const uint8_t *label)
{
	return (text.start + (uintptr_t)(label - begin_text));
}

static void
make_text(void)
{
	size_t size = (size_t)(end_text - begin_text);

	copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE |
	    MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(copy, MAP_FAILED);
	memcpy(copy, begin_text, size);
	text = (struct patch_text){ .start = (uintptr_t)copy,
	    .end = (uintptr_t)copy + size };
}

static void
add(enum syscall_table_kind kind, const uint8_t *label, unsigned head,
    unsigned tail, int number)
{
	struct syscall_finding f = { .kind = kind, .found = { .at = at(label),
	    .head = (uint8_t)head, .tail = (uint8_t)tail, .number = number } };

	if (kind == SYSCALL_TABLE_PLACE) {
		ck_assert_ptr_null(patch_moves_find((uint8_t *)f.found.at,
		    head, &f.before));
		ck_assert_ptr_null(patch_moves_find((uint8_t *)f.found.at +
		    head + 2, tail, &f.after));
	}
	ck_assert(syscall_rows_add(&table, &text, &f));
}

static void
setup(void)
{
	make_text();
	memset(&table, 0, sizeof(table));
	add(SYSCALL_TABLE_FUNCTION, function, CANCEL, 0, 0);
	add(SYSCALL_TABLE_PLACE, first, 5, 0, 39);
	add(SYSCALL_TABLE_PLACE, second, 0, 3, SYSCALL_ANY);
	add(SYSCALL_TABLE_CALLER, caller, 0, 0, 0);
	add(SYSCALL_TABLE_PLACE, third, 7, 0, SYSCALL_ANY);
}

static struct syscall_rows
rows_of(const uint8_t *bytes, size_t size)
{
	return ((struct syscall_rows){ .text = &text, .bytes = bytes,
	    .size = size });
}

static bool
check_rows(void)
{
	struct syscall_rows rows = rows_of(table.rows, table.head.size);
	struct syscall_finding f;
	int n;

	while ((n = syscall_rows_next(&rows, &f)) == 1)
		continue;
	return (n == 0);
}

START_TEST(rows_are_read_as_they_were_written)
{
	struct syscall_rows rows = rows_of(table.rows, table.head.size);
	struct syscall_finding f;

	ck_assert(check_rows());
	ck_assert_int_eq(syscall_rows_next(&rows, &f), 1);
	ck_assert_int_eq(f.kind, SYSCALL_TABLE_FUNCTION);
	ck_assert_uint_eq(rows.function, at(function));
	ck_assert_int_eq(syscall_rows_next(&rows, &f), 1);
	ck_assert_uint_eq(f.found.at, at(first));
	ck_assert_uint_eq(f.found.head, 5);
	ck_assert_int_eq(f.found.number, 39);
	ck_assert_uint_eq(f.found.before->n, 1);
	ck_assert_int_eq(syscall_rows_next(&rows, &f), 1);
	ck_assert_uint_eq(f.found.tail, 3);
	ck_assert_int_eq(f.found.number, SYSCALL_ANY);
	ck_assert_uint_eq(f.found.after->taken, 6);
	ck_assert_int_eq(syscall_rows_next(&rows, &f), 1);
	ck_assert_int_eq(f.kind, SYSCALL_TABLE_CALLER);
	ck_assert_uint_eq(f.found.at, at(caller));
	ck_assert_int_eq(syscall_rows_next(&rows, &f), 1);
	ck_assert_int_eq(f.before.list[0].how, PATCH_OPERAND);
	ck_assert_int_eq(syscall_rows_next(&rows, &f), 0);
}
END_TEST

/* Each byte that a jump replaces, or that a stub repeats, is compared. */
START_TEST(another_text_refuses_the_rows)
{
	static const struct {
		const uint8_t *label;
		size_t size;
	} parts[] = {
		{ first, 7 }, { second, 8 }, { third, 9 }, { caller, 5 }
	};
	size_t i, n;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		for (n = 0; n < parts[i].size; n++) {
			((uint8_t *)at(parts[i].label))[n] ^= 0x20;
			ck_assert_msg(!check_rows(), "part %zu, byte %zu", i,
			    n);
			((uint8_t *)at(parts[i].label))[n] ^= 0x20;
		}
	ck_assert(check_rows());
	((uint8_t *)at(function))[CANCEL + 1] = 0x34;
	ck_assert(!check_rows());
}
END_TEST

START_TEST(jumps_that_overlap_are_refused)
{
	table.head.size = 0;
	add(SYSCALL_TABLE_PLACE, third, 7, 0, SYSCALL_ANY);
	add(SYSCALL_TABLE_PLACE, third, 7, 0, SYSCALL_ANY);
	ck_assert(!check_rows());
	table.head.size = 0;
	add(SYSCALL_TABLE_CALLER, caller, 0, 0, 0);
	ck_assert(!check_rows());
}
END_TEST

/* Asserts that all findings stay within the text and the bounds of stubs. */
static void
read_all(const uint8_t *bytes, size_t size)
{
	struct syscall_rows rows = rows_of(bytes, size);
	struct syscall_finding f;
	struct patch_copy made;

	while (syscall_rows_next(&rows, &f) == 1) {
		ck_assert_uint_ge(f.found.at, text.start);
		ck_assert_uint_lt(f.found.at, text.end);
		if (f.kind != SYSCALL_TABLE_PLACE)
			continue;
		ck_assert_int_ge(f.found.number, SYSCALL_ANY);
		ck_assert_int_lt(f.found.number, (int)SYSCALL_NUMBERS);
		ck_assert_uint_le(f.found.at + f.found.head + 2 +
		    f.after.taken, text.end);
		(void)patch_copy_make((const uint8_t *)f.found.at,
		    f.found.at, f.found.before, f.found.at + 4096, &made);
		ck_assert_uint_le(made.size, sizeof(made.bytes));
		(void)patch_copy_make((const uint8_t *)f.found.at +
		    f.found.head + 2, f.found.at, f.found.after,
		    f.found.at + 4096, &made);
		ck_assert_uint_le(made.size, sizeof(made.bytes));
	}
}

/* The rows end where a page begins that may not be read. */
START_TEST(hostile_rows_lead_nowhere)
{
	size_t size = table.head.size, page = PATCH_PAGE, i;
	uint8_t *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *bytes = pages + page - size;
	unsigned bit, turn;

	ck_assert_ptr_ne(pages, MAP_FAILED);
	ck_assert_int_eq(mprotect(pages + page, page, PROT_NONE), 0);
	memcpy(bytes, table.rows, size);
	for (i = 0; i < size; i++)
		for (bit = 1; bit < 256; bit <<= 1) {
			bytes[i] ^= (uint8_t)bit;
			read_all(bytes, size);
			bytes[i] ^= (uint8_t)bit;
		}
	for (i = 0; i <= size; i++) {
		memmove(pages + page - i, table.rows, i);
		read_all(pages + page - i, i);
	}
	srandom(1);
	for (turn = 0; turn < 100000; turn++) {
		memcpy(bytes, table.rows, size);
		for (i = 0; i < 4; i++)
			bytes[(size_t)random() % size] = (uint8_t)random();
		read_all(bytes, size);
	}
	munmap(pages, 2 * page);
}
END_TEST

/* ---------------------------------------------------------------- the files */

struct library {
	struct patch_text text;
	const char *path;
};

static int
find_library(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct library *l = arg;

	(void)size;
	l->path = info->dlpi_name;
	return (strstr(info->dlpi_name, "libc.so") != NULL &&
	    patch_texts(info, &l->text, 1) == 1);
}

/* The C library's text, its identity, and its table in a directory. */
struct world {
	struct library library;
	struct patch_identity identity;
	char name[PATCH_TABLE_NAME];
	int directory;
};

static void
begin_world(struct world *w)
{
	char path[256];

	scratch_directory(path, sizeof(path));
	ck_assert_int_eq(dl_iterate_phdr(find_library, &w->library), 1);
	ck_assert(patch_identity(&w->library.text, w->library.path,
	    PATCH_TABLE_SYSCALL, &w->identity));
	patch_table_name(&w->identity, w->name);
	w->directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ne(w->directory, -1);
	patch_table_write(w->directory, &w->identity, &w->library.text,
	    w->library.path, &table);
}

static bool
can_read(const struct world *w)
{
	static struct patch_table other;

	return (patch_table_read(w->directory, &w->identity, &other));
}

START_TEST(a_table_is_read_by_its_owner_alone)
{
	struct world w;
	struct stat st;

	begin_world(&w);
	ck_assert(can_read(&w));
	ck_assert_int_eq(fstatat(w.directory, w.name, &st, 0), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
	ck_assert_int_eq(fchmodat(w.directory, w.name, 0620, 0), 0);
	ck_assert(!can_read(&w));
	ck_assert_int_eq(fchmodat(w.directory, w.name, 0602, 0), 0);
	ck_assert(!can_read(&w));
	ck_assert_int_eq(fchmodat(w.directory, w.name, 0600, 0), 0);
	ck_assert(can_read(&w));
	if (geteuid() == 0) {
		ck_assert_int_eq(fchownat(w.directory, w.name, 1, 1, 0), 0);
		ck_assert(!can_read(&w));
	}
}
END_TEST

START_TEST(only_a_regular_file_is_read)
{
	struct world w;

	begin_world(&w);
	ck_assert_int_eq(renameat(w.directory, w.name, w.directory, "real"),
	    0);
	ck_assert(!can_read(&w));
	ck_assert_int_eq(symlinkat("real", w.directory, w.name), 0);
	ck_assert(!can_read(&w));
	ck_assert_int_eq(unlinkat(w.directory, w.name, 0), 0);
	ck_assert_int_eq(mkfifoat(w.directory, w.name, 0600), 0);
	ck_assert(!can_read(&w));
	/* A writer replaces it, whatever it is. */
	patch_table_write(w.directory, &w.identity, &w.library.text,
	    w.library.path, &table);
	ck_assert(can_read(&w));
}
END_TEST

START_TEST(a_damaged_table_is_refused)
{
	size_t size = sizeof(table.head) + table.head.size, i;
	uint8_t *bytes = (uint8_t *)&table;
	struct world w;
	unsigned bit;

	begin_world(&w);
	ck_assert(patch_table_sound(&table, size, &w.identity));
	for (i = 0; i < size; i++)
		for (bit = 1; bit < 256; bit <<= 1) {
			bytes[i] ^= (uint8_t)bit;
			ck_assert_msg(!patch_table_sound(&table, size,
			    &w.identity), "byte %zu, bit %#x", i, bit);
			bytes[i] ^= (uint8_t)bit;
		}
	for (i = 0; i < size; i++)
		ck_assert(!patch_table_sound(&table, i, &w.identity));
}
END_TEST

/* Another decoder may prove less than the one that wrote the table. */
START_TEST(a_table_of_another_provider_is_refused)
{
	struct world w;

	begin_world(&w);
	ck_assert_uint_ne(w.identity.provider, 0);
	ck_assert(can_read(&w));
	table.head.identity.provider ^= 1;
	table.head.hash = patch_table_hash(&table);
	ck_assert(!patch_table_sound(&table, sizeof(table.head) +
	    table.head.size, &w.identity));
}
END_TEST

/* The same build, in another file or another text. */
START_TEST(a_table_of_another_file_is_refused)
{
	struct patch_identity *identity = &table.head.identity;
	struct world w;
	size_t size;

	begin_world(&w);
	size = sizeof(table.head) + table.head.size;
	identity->changed++;
	table.head.hash = patch_table_hash(&table);
	ck_assert(!patch_table_sound(&table, size, &w.identity));
	identity->changed--;
	identity->id[3] ^= 1;
	table.head.hash = patch_table_hash(&table);
	ck_assert(!patch_table_sound(&table, size, &w.identity));
	identity->id[3] ^= 1;
	table.head.hash = patch_table_hash(&table);
	ck_assert(patch_table_sound(&table, size, &w.identity));
}
END_TEST

/* A text that is not its file's, as it was changed, gets no table. */
START_TEST(a_changed_text_gets_no_table)
{
	struct world w;
	uintptr_t page;

	begin_world(&w);
	ck_assert_int_eq(unlinkat(w.directory, w.name, 0), 0);
	page = w.library.text.end & ~(uintptr_t)(PATCH_PAGE - 1);
	ck_assert_int_eq(mprotect((void *)page, PATCH_PAGE, PROT_READ |
	    PROT_WRITE | PROT_EXEC), 0);
	((uint8_t *)w.library.text.end)[-1] ^= 1;
	patch_table_write(w.directory, &w.identity, &w.library.text,
	    w.library.path, &table);
	ck_assert(!can_read(&w));
	((uint8_t *)w.library.text.end)[-1] ^= 1;
}
END_TEST

START_TEST(the_number_of_tables_is_bounded)
{
	struct dirent *entry;
	struct world w;
	unsigned i, n = 0;
	DIR *names;

	begin_world(&w);
	for (i = 0; i < PATCH_TABLES_MAX + 10; i++) {
		w.identity.inode++;
		patch_table_write(w.directory, &w.identity, &w.library.text,
		    w.library.path, &table);
		ck_assert(can_read(&w));
	}
	ck_assert_ptr_nonnull(names = fdopendir(w.directory));
	while ((entry = readdir(names)) != NULL)
		n += strncmp(entry->d_name, PATCH_TABLE_PREFIX,
		    strlen(PATCH_TABLE_PREFIX)) == 0;
	ck_assert_uint_eq(n, PATCH_TABLES_MAX);
	closedir(names);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("site_table");
	TCase *tc = tcase_create("site_table");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, rows_are_read_as_they_were_written);
	tcase_add_test(tc, another_text_refuses_the_rows);
	tcase_add_test(tc, jumps_that_overlap_are_refused);
	tcase_add_test(tc, hostile_rows_lead_nowhere);
	tcase_add_test(tc, a_table_is_read_by_its_owner_alone);
	tcase_add_test(tc, only_a_regular_file_is_read);
	tcase_add_test(tc, a_damaged_table_is_refused);
	tcase_add_test(tc, a_table_of_another_provider_is_refused);
	tcase_add_test(tc, a_table_of_another_file_is_refused);
	tcase_add_test(tc, a_changed_text_gets_no_table);
	tcase_add_test(tc, the_number_of_tables_is_bounded);
	suite_add_tcase(s, tc);
	return (run_suite(s));
}
