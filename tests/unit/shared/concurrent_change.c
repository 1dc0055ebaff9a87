/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Memory that another process changes between any two instructions.  The code
 * that both sides use for a control file runs with the change before its first
 * read of that memory, then before its second, and so on; or, for memory that
 * is not in pages of its own, after each of its instructions.  A page that
 * cannot be read follows the last byte that may be read.
 */
#include <sys/mman.h>

#include <stdlib.h>
#include <string.h>

#include <check.h>

/* This file has an order_read() of its own. */
#include "target/file/build_sessions.c"
#include "lib/single_step.h"
#include "lib/check_main.h"

#define GUARD	4096u

static struct tbuf_view view;
static size_t mapped;
static unsigned matched, wrong;

/* Maps a view of `size` bytes, and a guard page after it. */
static void
map(size_t size)
{
	void *p = mmap(NULL, size + GUARD, PROT_NONE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(p, MAP_FAILED);
	ck_assert_int_eq(mprotect(p, size, PROT_READ | PROT_WRITE), 0);
	view.base = p;
	view.size = size;
	mapped = size + GUARD;
}

static void
unmap(void)
{
	munmap(view.base, mapped);
}

static int
back(void *argument, uint64_t offset, uint64_t length)
{
	(void)argument;
	(void)offset;
	(void)length;
	return (0);
}

static struct tbuf_backing memory = { .back = back };

/*
 * Maps the fixed part up to the end of the heap.  Heads and ECBs are in the
 * unused part of the probe table.
 */
static void
map_tables(void)
{
	struct tbuf_slot *slot;

	tbuf_tables_make(0, UINT64_MAX, &view.tables);
	map(view.tables.areas);
	slot = tbuf_view_slot(&view, 0);
	slot->heads = view.tables.probes + 2 * TBUF_PAGE;
	slot->ecbs = view.tables.probes + 4 * TBUF_PAGE;
	slot->ecb_max = 2;
	slot->necbs = 1;
	view.tables.areas = view.tables.probes;
}

/* ------------------------------------------------------------ reads */

static void (*read_action)(void);
static unsigned long read_at, reads_taken;

static unsigned char *
last_page(void)
{
	return (view.base + view.size - TBUF_PAGE);
}

static void
last_page_protect(int protection)
{
	if (mprotect(last_page(), TBUF_PAGE, protection) != 0)
		abort();
}

/* A read of the last page: its instruction runs under the trap flag. */
static void
read_fault(int number, siginfo_t *info, void *context)
{
	ucontext_t *c = context;
	unsigned char *address = info->si_addr;

	if (address < last_page() || address >= view.base + view.size) {
		signal(number, SIG_DFL);
		return;
	}
	last_page_protect(PROT_READ | PROT_WRITE);
	if (reads_taken++ == read_at)
		read_action();
	else
		steps_set(c);
}

/* The instruction after a read. */
static void
read_trap(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	steps_clear(context);
	last_page_protect(PROT_NONE);
}

/*
 * Runs a function, and the change before its read number `at` of the view's
 * last page.  Between two reads the function does not notice when the change
 * comes.  Returns false if it has fewer reads.
 */
static bool
reads_run(void (*function)(void), unsigned long at, void (*change)(void))
{
	struct sigaction fault = { .sa_sigaction = read_fault,
	    .sa_flags = SA_SIGINFO };
	struct sigaction trap = { .sa_sigaction = read_trap,
	    .sa_flags = SA_SIGINFO };

	read_action = change;
	read_at = at;
	reads_taken = 0;
	sigaction(SIGSEGV, &fault, NULL);
	sigaction(SIGTRAP, &trap, NULL);
	last_page_protect(PROT_NONE);
	function();
	last_page_protect(PROT_READ | PROT_WRITE);
	signal(SIGSEGV, SIG_DFL);
	return (reads_taken > at);
}

static void
change_before_each_read(void (*reset)(void), void (*function)(void),
    void (*change)(void))
{
	unsigned long at;

	for (at = 0; reset(), reads_run(function, at, change); at++)
		ck_assert(wrong == 0);
	ck_assert_uint_gt(at, 2);
}

/* Runs a function with the change after each number of instructions. */
static void
change_at_each(void (*reset)(void), void (*function)(void),
    void (*change)(void), unsigned long most)
{
	unsigned long at;

	for (at = 0; at < most; at++) {
		reset();
		if (!steps_run(function, at, change))
			break;
		ck_assert(wrong == 0);
	}
	ck_assert_uint_gt(at, 10);
}

/* ------------------------------------------------------------ names */

/* All four fields have the name in the heap's last bytes. */
#define NAME	"xyz"
#define NAME_AT	(view.tables.strings_size - (uint32_t)sizeof(NAME))

static void
name_reset(void)
{
	memcpy(view.base + view.tables.strings + NAME_AT, NAME, sizeof(NAME));
}

static void
name_goes_on(void)
{
	view.base[view.size - 1] = 'x';
}

static void
name_is_matched(void)
{
	static const char patterns[] = "*z*:x??:[a-z]*:*q";
	struct tbuf_names_copy copy = { .offsets = { 0 } };

	memory.patterns = NULL;
	if (tbuf_view_names(&view, 0, &copy))
		matched += tbuf_match(&view, 0, 0, &copy.names, patterns,
		    sizeof(patterns), 1, &memory);
}

static void
name_is_compared(void)
{
	matched += tbuf_view_text_is(&view, NAME_AT, NAME "x");
	matched += tbuf_view_text_is(&view, NAME_AT, NAME);
}

static void
name_is_copied(void)
{
	char text[TBUF_FIELD_SIZE];
	size_t size = tbuf_view_text(&view, NAME_AT, text, sizeof(text));

	wrong += size != 0 && (size != sizeof(NAME) ||
	    memchr(text, '\0', size) == NULL);
}

START_TEST(names_may_lose_their_end)
{
	static void (*const uses[])(void) = {
		name_is_matched, name_is_compared, name_is_copied
	};
	struct tbuf_probe_entry *entry;

	/* The view ends with the heap. */
	map_tables();
	entry = tbuf_view_probe(&view, 0);
	entry->provider = entry->module = entry->function = entry->name =
	    NAME_AT;
	tbuf_view_control(&view)->strings = view.tables.strings_size;
	change_before_each_read(name_reset, uses[_i], name_goes_on);
	unmap();
}
END_TEST

/* ------------------------------------------------------------ patterns */

/* The patterns are the last bytes of the view. */
#define PATTERN		"n[!a-c]\\?*"
#define PATTERN_SIZE	sizeof(PATTERN)

static const struct tbuf_names fields = { "p", "m", "f", "nx?ab" };
static unsigned place;		/* position of the changed byte, from the end */
static char letter;		/* its new value */

static char *
pattern_bytes(void)
{
	return ((char *)view.base + view.size - PATTERN_SIZE);
}

static void
pattern_reset(void)
{
	memcpy(pattern_bytes(), PATTERN, PATTERN_SIZE);
}

static void
pattern_changes(void)
{
	pattern_bytes()[PATTERN_SIZE - 1] = 'x';
	pattern_bytes()[PATTERN_SIZE - 1 - place] = letter;
}

static void
pattern_is_matched(void)
{
	memory.patterns = NULL;
	matched += tbuf_match(&view, 0, 0, &fields, pattern_bytes(),
	    PATTERN_SIZE, 1, &memory);
}

START_TEST(patterns_may_change)
{
	static const char letters[] = "[\\-:";

	map_tables();
	letter = letters[_i % 4];
	place = (unsigned)_i / 4;
	change_before_each_read(pattern_reset, pattern_is_matched,
	    pattern_changes);
	unmap();
}
END_TEST

/* ------------------------------------------------------------ sessions */

static struct tbuf_order order = {
	.terms = { .bufsize = 4096, .policy = TBUF_SWITCH, .strsize = 256,
	    .only_cpu = -1, .owner = "check" },
	.rseq = true, .patterns = "p:::", .patterns_size = 5, .npatterns = 1,
	.entries = TBUF_NPROBES_MIN
};
static struct tbuf_area layout;
static int built;

#define AREA	(UINT64_C(1) << 20)

/* Changes every word that decides where something is written, or how often. */
static void
session_changes(void)
{
	struct tbuf_session *session = (struct tbuf_session *)(void *)
	    (view.base + AREA);
	struct tbuf_lane *lanes = (struct tbuf_lane *)(void *)
	    (view.base + AREA + layout.lanes);
	struct tbuf_slot *slot = tbuf_view_slot(&view, 0);
	uint32_t i;

	session->patterns = UINT64_C(1) << 40;
	session->patterns_size = session->npatterns = UINT32_MAX;
	slot->area = slot->lanes = slot->ecbs = UINT64_C(1) << 41;
	slot->heads = slot->area;
	slot->nlanes = slot->nlocks_max = slot->ecb_max = UINT32_MAX;
	for (i = 0; i < layout.nlanes; i++)
		lanes[i].size = lanes[i].limit = lanes[i].place = UINT64_MAX;
}

static void
session_is_built(void)
{
	built = tbuf_session_build(&view, 0, AREA, 7, &order, &layout);
}

START_TEST(sessions_may_change_while_they_are_built)
{
	tbuf_cpus_add(&order.cpus, 0);
	tbuf_cpus_add(&order.cpus, 3);
	ck_assert_int_eq(tbuf_area_make(&order, &layout), 0);
	map(AREA + layout.data);
	built = -1;
	steps_run(session_is_built, STEPS_EACH, session_changes);
	ck_assert_int_eq(built, 0);
	unmap();
}
END_TEST

/* ------------------------------------------------------------ the board */

static struct tbuf_board_entry entry;
static struct tbuf_order taken;

static void
entry_reset(void)
{
	memset(&entry.terms, 0, sizeof(entry.terms));
	entry.terms.policy = TBUF_RING;
	entry.terms.strsize = 256;
	entry.npatterns = 1;
	entry.patterns_size = 5;
}

static void
entry_changes(void)
{
	memset(&entry.terms, 0xa5, sizeof(entry.terms));
	entry.npatterns = entry.patterns_size = 1u << 31;
}

static void
entry_is_read(void)
{
	order_read(&entry, &taken);
	wrong += taken.terms.policy > TBUF_RING ||
	    taken.terms.strsize < TBUF_STRSIZE_MIN ||
	    taken.terms.strsize > TBUF_STRSIZE_MAX ||
	    memchr(taken.terms.owner, 0, sizeof(taken.terms.owner)) == NULL ||
	    taken.patterns_size > TBUF_BOARD_PATTERNS ||
	    taken.npatterns > taken.patterns_size;
}

/* A loop over all CPUs follows the reads, so 500 steps are enough. */
START_TEST(entries_of_the_board_may_change)
{
	change_at_each(entry_reset, entry_is_read, entry_changes, 500);
}
END_TEST

int
main(void)
{
	const char *sanitizer = getenv("SANITIZER");
	Suite *suite;
	TCase *tcase;

	/* A sanitizer's calls are too many for single steps. */
	if (!STEPS_POSSIBLE || (sanitizer != NULL && *sanitizer != '\0'))
		return (77);
	suite = suite_create("shared");
	tcase = tcase_create("shared");
	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, names_may_lose_their_end, 0, 3);
	tcase_add_loop_test(tcase, patterns_may_change, 0, 8);
	tcase_add_test(tcase, sessions_may_change_while_they_are_built);
	tcase_add_test(tcase, entries_of_the_board_may_change);
	suite_add_tcase(suite, tcase);
	return (run_suite(suite));
}
