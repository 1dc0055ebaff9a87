/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The target of the tests that include fixture.h: this process.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "lib/check_main.h"
#include "shared/ecb_chain.h"
#include "shared/memory_limit.h"
#include "target/file/file.h"

struct tbuf_view view;
int control_file = -1;
struct tbuf_site two, none;

void
fire(uint64_t value)
{
	const uint64_t values[2] = { value, ~value };

	tbuf_probe_fire(&two, values);
}

void
site(struct tbuf_site *s, const char *name, unsigned nargs,
    const enum tbuf_type *types)
{
	ck_assert_int_eq(tbuf_probe_register(s, "t", "m", "f", name, nargs,
	    types, NULL), 0);
}

/* Each test runs in a forked child, which becomes a target by itself. */
static void
set_up(void)
{
	static const enum tbuf_type types[] = { TBUF_UINT64, TBUF_UINT64 };
	char path[TBUF_PATH_MAX + TBUF_NAME_MAX];
	struct tbuf_control *control;
	cpu_set_t cpus;

	/* On one CPU, all records go to a known lane. */
	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(cpus), &cpus), 0);
	ck_assert_int_eq(tbuf_process_register(), 0);
	site(&two, "two", 2, types);
	site(&none, "none", 0, NULL);
	view = tbuf_target_view();
	ck_assert_ptr_nonnull(view.base);
	control = tbuf_view_control(&view);
	ck_assert_int_eq(tbuf_directory_path(getenv("TBUF_DIR"), geteuid(),
	    path), 0);
	strcat(path, "/");
	tbuf_control_name(path + strlen(path), getpid(), control->random);
	control_file = open(path, O_RDWR | O_CLOEXEC);
	ck_assert_int_ne(control_file, -1);
}

static void
tear_down(void)
{
	close(control_file);
}

int
back_control(void *argument, uint64_t offset, uint64_t length)
{
	(void)argument;
	return (tbuf_back(control_file, offset, length));
}

struct tbuf_lane *
session(unsigned number, const struct order *o)
{
	struct tbuf_control *control = tbuf_view_control(&view);
	struct tbuf_order order = {
		.terms = { .bufsize = o->bufsize, .policy = o->policy,
		    .strsize = o->strsize, .only_cpu = o->only_cpu,
		    .owner = "check" },
		.rseq = !o->locks && tbuf_self.rseq, .patterns = o->patterns,
		.patterns_size = o->size, .npatterns = o->npatterns,
		.entries = view.tables.entries
	};
	uint64_t area = control->end;
	struct tbuf_backing backing = { .back = back_control };
	struct tbuf_names_copy copy = { .offsets = { 0 } };
	struct tbuf_slot *slot;
	struct tbuf_area layout;
	uint32_t i;

	tbuf_self.rseq = order.rseq;
	if (o->cpus == NULL)
		tbuf_cpus_add(&order.cpus, (unsigned)sched_getcpu());
	else
		for (i = 0; o->cpus[i] != 0; i++)
			tbuf_cpus_add(&order.cpus, o->cpus[i]);
	ck_assert_int_eq(tbuf_area_make(&order, &layout), 0);
	ck_assert_int_eq(tbuf_back(control_file, TBUF_SLOTS + number *
	    TBUF_SLOT_SIZE, TBUF_SLOT_SIZE), 0);
	ck_assert_int_eq(tbuf_back(control_file, area, layout.heads), 0);
	ck_assert_int_eq(tbuf_back(control_file, area + layout.data,
	    layout.storage), 0);
	ck_assert_int_eq(tbuf_session_build(&view, number, area,
	    ++control->generation, &order, &layout), 0);
	control->end = area + layout.size;
	control->state[number] = TBUF_ACTIVE;
	for (i = 0; i < control->nprobes; i++)
		tbuf_match_next(&view, number, i, &copy, o->patterns, o->size,
		    o->npatterns, &backing);
	slot = tbuf_view_slot(&view, number);
	return ((struct tbuf_lane *)(void *)(view.base + slot->lanes));
}

uint64_t
record_size(const struct tbuf_lane *lane, uint64_t data)
{
	return ((lane->kind == TBUF_KIND_LOCK ?
	    sizeof(struct tbuf_lock_record) : sizeof(struct tbuf_header)) +
	    data);
}

const unsigned char *
bytes_at(const struct tbuf_lane *lane, uint64_t position)
{
	return (view.base + tbuf_place_offset(lane->place) +
	    (position & (tbuf_place_storage(lane->place) - 1)));
}

const struct tbuf_header *
header_at(const struct tbuf_lane *lane, uint64_t position)
{
	return ((const struct tbuf_header *)(const void *)
	    bytes_at(lane, position));
}

uint64_t
word_at(const struct tbuf_lane *lane, uint64_t position)
{
	uint64_t word;

	memcpy(&word, bytes_at(lane, position), sizeof(word));
	return (word);
}

uint64_t
ring_tail(const struct tbuf_lane *lane)
{
	return (lane->pair[lane->sequence & 1].tail);
}

int
run_on_both_paths(const char *name, const TTest *const tests[], size_t count)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("both paths");
	size_t i;

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	for (i = 0; i < count; i++)
		tcase_add_loop_test(tcase, tests[i], 0, 2);
	suite_add_tcase(suite, tcase);
	return (run_suite(suite));
}
