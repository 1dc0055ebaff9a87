/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The target side alone: registration of probes, and its errors.
 */
#include <sys/mman.h>
#include <sys/syscall.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "lib/interposed_call.h"
#include "target/file/probe_table.h"
#include "target/provider.h"

/* inv.attach: a probe that registers later finds the session by itself. */
START_TEST(a_later_probe_meets_the_session)
{
	struct order o = ORDER(TBUF_SWITCH, 4096);
	struct tbuf_site later = { .state = 0 };
	struct tbuf_lane *lane = session(0, &o);

	site(&later, "later", 0, NULL);
	ck_assert(tbuf_probe_enabled(&later));
	tbuf_probe_fire(&later, (uint64_t[1]){ 0 });
	ck_assert_uint_eq(lane->head, record_size(lane, 0));
	tbuf_probe_unregister(&later);
	ck_assert(!tbuf_probe_enabled(&later));
}
END_TEST

START_TEST(equal_sites_are_one_probe)
{
	static const enum tbuf_type types[] = { TBUF_UINT64, TBUF_UINT64 };
	static const enum tbuf_type other[] = { TBUF_UINT64, TBUF_INT64 };
	struct tbuf_site same = { .state = 0 }, different = { .state = 0 };
	struct tbuf_control *control = tbuf_view_control(&view);
	uint32_t n = control->nprobes;

	site(&same, "two", 2, types);
	ck_assert_uint_eq(same.index, two.index);
	ck_assert_uint_eq(tbuf_view_probe(&view, two.index)->sites, 2);
	site(&different, "two", 2, other);
	ck_assert_uint_ne(different.index, two.index);
	ck_assert_uint_eq(control->nprobes, n + 1);
	tbuf_probe_unregister(&same);
	ck_assert_uint_eq(tbuf_view_probe(&view, two.index)->sites, 1);
	/* The probe takes its earlier entry again. */
	site(&same, "two", 2, types);
	ck_assert_uint_eq(same.index, two.index);
	tbuf_probe_unregister(&same);
	tbuf_probe_unregister(&different);
}
END_TEST

/* Registers a site as an alias of another one's probe. */
static void
alias(struct tbuf_site *one, const struct tbuf_site *elder, const char *name)
{
	sigset_t mask;

	tbuf_series_begin(&mask, 0);
	tbuf_series_alias(elder);
	site(one, name, 0, NULL);
	tbuf_series_alias(NULL);
	tbuf_series_end(&mask);
}

/* Fires all sites of a place.  Returns the number of records. */
static uint64_t
fire_place(const struct tbuf_lane *lane, struct tbuf_site *sites, unsigned n)
{
	uint64_t before = lane->head;
	unsigned i;

	for (i = 0; i < n; i++)
		if (tbuf_probe_enabled(&sites[i]))
			tbuf_probe_fire(&sites[i], (uint64_t[1]){ 0 });
	return ((lane->head - before) / record_size(lane, 0));
}

/*
 * inv.alias: each enabling records once, whether the session or the probes come
 * first, and with probes of the same names elsewhere.
 */
START_TEST(an_enabling_has_one_of_several_names)
{
	static const char patterns[] = "t:m:f:one\0t:m:f:other\0t:m:f:third\0"
	    "t:m:f:*o*\0t:m:f:o*,t:m:f:t*d\0t:m::third\0t:m:f:o[t]*";
	struct order o = ORDER(TBUF_SWITCH, 4096);
	struct tbuf_site first[3] = { { .state = 0 } };
	struct tbuf_site later[3] = { { .state = 0 } };
	struct tbuf_site alone = { .state = 0 };
	struct tbuf_lane *lane;
	unsigned i;

	site(&first[0], "one", 0, NULL);
	alias(&first[1], &first[0], "other");
	alias(&first[2], &first[1], "third");
	/* Another place has one of the names. */
	site(&alone, "third", 0, NULL);
	ck_assert_uint_ne(alone.index, first[2].index);
	o.patterns = patterns;
	o.size = sizeof(patterns);
	o.npatterns = 7;
	lane = session(0, &o);
	ck_assert_uint_eq(fire_place(lane, first, 3), 7);
	ck_assert_uint_eq(fire_place(lane, &alone, 1), 3);
	site(&later[0], "one", 0, NULL);
	alias(&later[1], &later[0], "other");
	alias(&later[2], &later[1], "third");
	for (i = 0; i < 3; i++)
		ck_assert_uint_eq(later[i].index, first[i].index);
	ck_assert_uint_eq(fire_place(lane, later, 3), 7);
	for (i = 0; i < 3; i++) {
		tbuf_probe_unregister(&first[i]);
		tbuf_probe_unregister(&later[i]);
	}
	/* With other elders, and in a session that is there already. */
	site(&first[0], "other", 0, NULL);
	alias(&first[1], &first[0], "one");
	ck_assert_uint_ne(first[1].index, later[0].index);
	ck_assert_uint_eq(fire_place(lane, first, 2), 5);
	tbuf_probe_unregister(&first[0]);
	tbuf_probe_unregister(&first[1]);
	tbuf_probe_unregister(&alone);
}
END_TEST

/* A disabled TBUF_PROBE reads a copy of `enabled`. */
START_TEST(the_hot_word_of_a_site_is_its_pointer)
{
	struct tbuf_site sites[2] = { { .text = "t, hot", .function = "f",
	    .version = TBUF_SITE_VERSION, .kind = TBUF_SITE_PROBE } };
	const uint32_t *hot[2] = { &sites[0].zero, &sites[1].zero };

	sites[1] = sites[0];
	sites[1].kind = TBUF_SITE_TEST;
	sites[0].hot = &hot[0];
	sites[1].hot = &hot[1];
	tbuf_sites_register(sites, sites + 2);
	ck_assert_ptr_eq(hot[0], tbuf_view_enable(&view, sites[0].index));
	ck_assert_ptr_eq(sites[0].enabled, hot[0]);
	ck_assert_ptr_eq(hot[1], hot[0]);
	tbuf_sites_unregister(sites, sites + 2);
	ck_assert_ptr_eq(hot[0], &sites[0].zero);
	ck_assert_ptr_eq(sites[0].enabled, hot[0]);
	ck_assert_ptr_eq(hot[1], &sites[1].zero);
}
END_TEST

static const uint32_t **faulting;	/* in a page of its own */
static struct tbuf_site handled;
static int handled_error;

/* Runs when tbuf_sites_unregister() stores to the page. */
static void
handler(int number)
{
	struct tbuf_site more = { .state = 0 };

	(void)number;
	mprotect(faulting, TBUF_PAGE, PROT_READ | PROT_WRITE);
	handled_error = tbuf_probe_register(&more, "t", "m", "f", "more", 0,
	    NULL, NULL);
	tbuf_probe_unregister(&handled);
}

START_TEST(a_handler_amid_an_unregistration_does_not_wait)
{
	struct tbuf_site hot = { .text = "t, faulting", .function = "f",
	    .version = TBUF_SITE_VERSION, .kind = TBUF_SITE_PROBE };
	struct sigaction action = { .sa_handler = handler };

	faulting = mmap(NULL, TBUF_PAGE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert(faulting != MAP_FAILED);
	*faulting = &hot.zero;
	hot.hot = faulting;
	tbuf_sites_register(&hot, &hot + 1);
	site(&handled, "handled", 0, NULL);
	ck_assert_int_eq(sigaction(SIGSEGV, &action, NULL), 0);
	mprotect(faulting, TBUF_PAGE, PROT_READ);
	tbuf_sites_unregister(&hot, &hot + 1);
	ck_assert_int_eq(handled_error, -EBUSY);
	ck_assert_ptr_eq(handled.enabled, &handled.zero);
	ck_assert_ptr_eq(*faulting, &hot.zero);
	/* The lock is free again. */
	site(&handled, "handled", 0, NULL);
	tbuf_probe_unregister(&handled);
	munmap(faulting, TBUF_PAGE);
}
END_TEST

/* An event's site has its code where it has its packing later. */
START_TEST(a_code_is_that_of_each_registration)
{
	struct tbuf_site one = { .text = "t, coded, a", .function = "f",
	    .version = TBUF_SITE_VERSION, .kind = TBUF_SITE_PROBE,
	    .nargs = 1, .types = { TBUF_INT32 }, .packing = 0x101 };
	struct tbuf_site none = one;
	uint32_t index;

	none.packing = 0;
	tbuf_sites_register(&none, &none + 1);
	index = none.index;
	ck_assert_uint_eq(tbuf_view_probe(&view, index)->code, 0);
	/* A probe has the code of the first site that has one. */
	tbuf_sites_register(&one, &one + 1);
	ck_assert_uint_eq(one.index, index);
	ck_assert_uint_eq(tbuf_view_probe(&view, index)->code, 0x101);
	ck_assert_uint_eq(one.packing, none.packing);
	tbuf_sites_unregister(&one, &one + 1);
	ck_assert_uint_eq(one.packing, 0x101);
	one.text = "t, other, a";
	tbuf_sites_register(&one, &one + 1);
	ck_assert_uint_eq(tbuf_view_probe(&view, one.index)->code, 0x101);
	tbuf_sites_unregister(&one, &one + 1);
	tbuf_sites_unregister(&none, &none + 1);
}
END_TEST

/* A site's selection outlives its probe, and joins those of the other sites. */
START_TEST(a_selection_is_that_of_the_next_registration)
{
	struct tbuf_site sites[2] = { { .index = 8 }, { .index = 0 } };

	tbuf_probe_select(&sites[1], 6);
	site(&sites[0], "selected", 0, NULL);
	ck_assert_uint_eq(tbuf_view_probe(&view, sites[0].index)->selection,
	    0);
	site(&sites[1], "selected", 0, NULL);
	tbuf_probe_select(&sites[1], 1);
	ck_assert_uint_eq(sites[1].index, sites[0].index);
	ck_assert_uint_eq(tbuf_view_probe(&view, sites[0].index)->selection,
	    6);
	tbuf_probe_unregister(&sites[1]);
	site(&sites[1], "selected-again", 0, NULL);
	ck_assert_uint_eq(tbuf_view_probe(&view, sites[1].index)->selection,
	    6);
	tbuf_probe_unregister(&sites[1]);
	tbuf_probe_select(&sites[1], 0);
	site(&sites[1], "selected-no-more", 0, NULL);
	ck_assert_uint_eq(tbuf_view_probe(&view, sites[1].index)->selection,
	    0);
}
END_TEST

START_TEST(nonsense_is_refused_at_registration)
{
	static const enum tbuf_type types[11] = { TBUF_INT8, 99 };
	const char *names[] = { "a:b" };
	struct tbuf_site s = { .state = 0 };
	char longname[300];

	memset(longname, 'x', sizeof(longname) - 1);
	longname[sizeof(longname) - 1] = '\0';
	ck_assert_int_eq(tbuf_probe_register(&s, "p", "m", "f", "n", 11,
	    types, NULL), -EINVAL);
	ck_assert_int_eq(tbuf_probe_register(&s, "p", "m", "f", "n", 2,
	    types, NULL), -EINVAL);
	ck_assert_int_eq(tbuf_probe_register(&s, "p", "m", "f", "n", 1,
	    types, names), -EINVAL);
	ck_assert_int_eq(tbuf_probe_register(&s, NULL, "m", "f", "n", 0,
	    NULL, NULL), -EINVAL);
	ck_assert_int_eq(tbuf_probe_register(&s, "p", "m", "f", "n", 1,
	    NULL, NULL), -EINVAL);
	ck_assert_int_eq(tbuf_probe_register(&s, "p", "a b", "f", "n", 0,
	    NULL, NULL), -EINVAL);
	ck_assert_int_eq(tbuf_probe_register(&s, "p", "m", "f", longname, 0,
	    NULL, NULL), -EINVAL);
	ck_assert_int_eq(tbuf_probe_register(&s, "p", "m", longname, "n", 0,
	    NULL, NULL), -EINVAL);
}
END_TEST

START_TEST(only_a_function_has_colons_and_only_in_the_midst)
{
	static const char *const bad[] = {
		"::f", "f::", "f:g", "f:::g", "f::::g", ":", "::", "f::g:"
	};
	struct tbuf_site s = { .state = 0 };
	size_t i;

	ck_assert_int_eq(tbuf_probe_register(&s, "p", "m", "ns::C::f", "n", 0,
	    NULL, NULL), 0);
	tbuf_probe_unregister(&s);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(tbuf_probe_register(&s, "p", "m", bad[i], "n", 0,
		    NULL, NULL) == -EINVAL, "%s", bad[i]);
	ck_assert_int_eq(tbuf_probe_register(&s, "a::b", "m", "f", "n", 0,
	    NULL, NULL), -EINVAL);
	ck_assert_int_eq(tbuf_probe_register(&s, "p", "a::b", "f", "n", 0,
	    NULL, NULL), -EINVAL);
	ck_assert_int_eq(tbuf_probe_register(&s, "p", "m", "f", "a::b", 0,
	    NULL, NULL), -EINVAL);
}
END_TEST

/* Registers a site of two arguments as a table's writer does. */
static int
batched(struct tbuf_site *site, const char *module, const char *function,
    const struct tbuf_site *like)
{
	const struct tbuf_series_probe probe = { "batch", module, function, "n",
	    "a\0b", 4, like };

	*site = (struct tbuf_site){ .nargs = 2,
	    .types = { TBUF_INT32, TBUF_POINTER } };
	return (tbuf_series_register(site, &probe));
}

/* Each argument of a probe has a name of its own. */
START_TEST(names_of_arguments_are_made_different)
{
	static const enum tbuf_type types[] = { TBUF_INT32, TBUF_INT32,
	    TBUF_INT32, TBUF_INT32, TBUF_INT32 };
	static const char *const names[] = { "x", "x", "arg3", NULL, "" };
	static const char want[] = "x\0arg1\0arg2\0arg3\0arg4";
	struct tbuf_site s = { .state = 0 };
	uint32_t at, i;

	ck_assert_int_eq(tbuf_probe_register(&s, "p", "m", "f", "names", 5,
	    types, names), 0);
	at = tbuf_view_probe(&view, s.index)->argnames;
	for (i = 0; i < sizeof(want); i += strlen(want + i) + 1)
		ck_assert(tbuf_view_text_is(&view, at + i, want + i));
}
END_TEST

START_TEST(a_batch_registers_what_single_calls_do)
{
	static const enum tbuf_type types[] = { TBUF_INT32, TBUF_POINTER };
	const char *names[] = { "a", "b" };
	struct tbuf_site single = { .state = 0 }, sites[4];
	struct tbuf_control *control = tbuf_view_control(&view);
	uint32_t n = control->nprobes;
	sigset_t mask;
	unsigned i;

	ck_assert_int_eq(tbuf_probe_register(&single, "batch", "m", "f", "n",
	    2, types, names), 0);
	tbuf_series_begin(&mask, 0);
	ck_assert_int_eq(batched(&sites[0], "m", "f", NULL), 0);
	ck_assert_int_eq(batched(&sites[1], "m", "g", &sites[0]), 0);
	ck_assert_int_eq(batched(&sites[3], "a b", "f", NULL), -EINVAL);
	ck_assert_int_eq(batched(&sites[2], "m2", "f", &sites[3]), 0);
	tbuf_series_end(&mask);
	ck_assert_uint_eq(sites[0].index, single.index);
	ck_assert_uint_eq(tbuf_view_probe(&view, single.index)->sites, 2);
	ck_assert_uint_eq(control->nprobes, n + 3);
	for (i = 0; i < 3; i++) {
		ck_assert(sites[i].fire == single.fire);
		ck_assert_uint_eq(sites[i].packing, single.packing);
		ck_assert_ptr_eq(sites[i].enabled,
		    tbuf_view_enable(&view, sites[i].index));
	}
	ck_assert(!tbuf_probe_enabled(&sites[3]));
	/* One call alone registers the same probe again. */
	for (i = 0; i < 3; i++)
		tbuf_probe_unregister(&sites[i]);
	ck_assert_int_eq(tbuf_probe_register(&sites[2], "batch", "m2", "f",
	    "n", 2, types, names), 0);
	ck_assert_uint_eq(control->nprobes, n + 3);
	tbuf_probe_unregister(&sites[2]);
	tbuf_probe_unregister(&single);
}
END_TEST

/* The kernel is asked once for all of them, and names are stored once. */
START_TEST(a_batch_makes_room_for_its_probes_at_once)
{
	static const char *const functions[] = { "r0", "r1", "r2", "r3" };
	uint32_t n = tbuf_table_count();
	struct tbuf_extent before, after;
	struct tbuf_site sites[4];
	sigset_t mask;
	unsigned i;

	tbuf_table_extent(&before);
	tbuf_series_begin(&mask, UINT32_MAX);
	tbuf_table_extent(&after);
	ck_assert_mem_eq(&before, &after, sizeof(before));
	tbuf_series_end(&mask);
	tbuf_series_begin(&mask, 500);
	tbuf_table_extent(&after);
	ck_assert_uint_ge(after.probes,
	    (n + 500) * sizeof(struct tbuf_probe_entry));
	ck_assert_uint_ge(after.enable, (n + 500) * sizeof(uint32_t));
	for (i = 0; i < 4; i++)
		ck_assert_int_eq(batched(&sites[i], "m", functions[i], NULL),
		    0);
	tbuf_series_end(&mask);
	for (i = 2; i < 4; i++)
		ck_assert_uint_eq(tbuf_view_probe(&view, n + i)->name,
		    tbuf_view_probe(&view, n + i - 2)->name);
	for (i = 0; i < 4; i++)
		tbuf_probe_unregister(&sites[i]);
}
END_TEST

static bool no_memory;

/* Replaces the C library's mmap(), but not ThreadSanitizer's. */
#ifndef __SANITIZE_THREAD__
#define FAILED	5		/* from 128 probes to 4096 */
void *
mmap(void *address, size_t size, int protection, int flags, int fd, off_t at)
{
	if (no_memory) {
		errno = ENOMEM;
		return (MAP_FAILED);
	}
	return ((void *)syscall(SYS_mmap, address, size, protection, flags,
	    fd, at));
}
INTERPOSED(mmap);
#else
#define FAILED	0
#endif

#define MANY	3000

static int
add_one(struct tbuf_site *s, unsigned number)
{
	char name[16];

	snprintf(name, sizeof(name), "many-%u", number);
	return (tbuf_probe_register(s, "t", "m", "f", name, 0, NULL, NULL));
}

/* The hash table grows; without memory for that, the probes remain. */
START_TEST(many_probes_are_found_again)
{
	static struct tbuf_site sites[MANY], again;
	struct tbuf_control *control = tbuf_view_control(&view);
	uint32_t n = control->nprobes, lost = control->lost_probes;
	unsigned i, failed = 0;

	for (i = 0; i < MANY; i++) {
		no_memory = true;
		if (add_one(&sites[i], i) != 0) {
			no_memory = false;
			failed++;
			ck_assert(!tbuf_probe_enabled(&sites[i]));
			ck_assert_int_eq(add_one(&sites[i], i), 0);
		}
		no_memory = false;
	}
	ck_assert_uint_eq(failed, FAILED);
	ck_assert_uint_eq(control->lost_probes - lost, failed);
	ck_assert_uint_eq(control->nprobes, n + MANY);
	for (i = 0; i < MANY; i++) {
		memset(&again, 0, sizeof(again));
		ck_assert_int_eq(add_one(&again, i), 0);
		ck_assert_uint_eq(again.index, sites[i].index);
		tbuf_probe_unregister(&again);
	}
	ck_assert_uint_eq(control->nprobes, n + MANY);
}
END_TEST

/* Bindings get a pointer, and see no structure. */
START_TEST(a_probe_of_a_binding_fires_by_its_pointer)
{
	static const enum tbuf_type types[] = { TBUF_UINT64, TBUF_UINT64 };
	static const uint64_t values[] = { 3, ~3ull };
	struct order o = ORDER(TBUF_SWITCH, 4096);
	struct tbuf_probe *probe, *same;
	struct tbuf_control *control = tbuf_view_control(&view);
	uint32_t n = control->nprobes;
	struct tbuf_lane *lane;

	probe = tbuf_probe_new("t", "m", "f", "bound", 2, 2, types, NULL);
	ck_assert_ptr_nonnull(probe);
	ck_assert_uint_eq(tbuf_view_probe(&view, n)->selection, 2);
	ck_assert_int_eq(tbuf_probe_wanted(probe), 0);
	ck_assert_int_eq(tbuf_probe_emit(probe, 2, values), 0);
	lane = session(0, &o);
	ck_assert_int_eq(tbuf_probe_wanted(probe), 1);
	errno = 77;
	ck_assert_int_eq(tbuf_probe_emit(probe, 2, values), 0);
	ck_assert_uint_eq(lane->head, record_size(lane, 16));
	ck_assert_uint_eq(word_at(lane, lane->head - 16), 3);
	ck_assert_int_eq(tbuf_probe_emit(probe, 1, values), -EINVAL);
	ck_assert_int_eq(tbuf_probe_emit(probe, 3, values), -EINVAL);
	ck_assert_uint_eq(lane->head, record_size(lane, 16));
	same = tbuf_probe_new("t", "m", "f", "bound", 2, 2, types, NULL);
	ck_assert_ptr_ne(same, probe);
	ck_assert_uint_eq(control->nprobes, n + 1);
	ck_assert_uint_eq(tbuf_view_probe(&view, n)->sites, 2);
	tbuf_probe_free(probe);
	ck_assert_uint_eq(tbuf_view_probe(&view, n)->sites, 1);
	ck_assert_int_eq(tbuf_probe_wanted(same), 1);
	tbuf_probe_free(same);
	ck_assert_uint_eq(tbuf_view_probe(&view, n)->sites, 0);
	ck_assert_int_eq(errno, 77);
}
END_TEST

START_TEST(a_probe_of_a_binding_that_fails_is_null)
{
	static const enum tbuf_type none_such = (enum tbuf_type)99;

	errno = 0;
	ck_assert_ptr_null(tbuf_probe_new("t", "m", "f", "a b", 0, 0, NULL,
	    NULL));
	ck_assert_int_eq(errno, EINVAL);
	errno = 0;
	ck_assert_ptr_null(tbuf_probe_new("t", "m", "f", "typed", 0, 1,
	    &none_such, NULL));
	ck_assert_int_eq(errno, EINVAL);
	errno = 0;
	ck_assert_ptr_null(tbuf_probe_new("t", "m", "f", "untyped", 0, 1, NULL,
	    NULL));
	ck_assert_int_eq(errno, EINVAL);
	errno = 77;
	ck_assert_int_eq(tbuf_probe_wanted(NULL), 0);
	ck_assert_int_eq(tbuf_probe_emit(NULL, 0, NULL), 0);
	tbuf_probe_free(NULL);
	ck_assert_int_eq(errno, 77);
}
END_TEST

int
main(void)
{
	const TTest *const tests[] = {
		a_later_probe_meets_the_session,
		a_probe_of_a_binding_fires_by_its_pointer,
		a_probe_of_a_binding_that_fails_is_null,
		equal_sites_are_one_probe,
		an_enabling_has_one_of_several_names,
		the_hot_word_of_a_site_is_its_pointer,
		nonsense_is_refused_at_registration,
		names_of_arguments_are_made_different,
		a_code_is_that_of_each_registration,
		a_selection_is_that_of_the_next_registration,
		a_batch_registers_what_single_calls_do,
		a_batch_makes_room_for_its_probes_at_once,
		a_handler_amid_an_unregistration_does_not_wait,
		only_a_function_has_colons_and_only_in_the_midst,
		many_probes_are_found_again
	};

	return (run_on_both_paths("registration", tests,
	    sizeof(tests) / sizeof(tests[0])));
}
