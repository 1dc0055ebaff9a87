/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The memory for buffers: the arithmetic of -b, TBUF_MAXSIZE and the limits of
 * the machine and of memory cgroups.
 */
#include <sys/resource.h>
#include <sys/stat.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "lib/check_main.h"
#include "lib/scratch.h"
#include "shared/memory_limit.h"

static const uint8_t one_integer[] = { TBUF_INT64 };

static void
begin(struct fake *f)
{
	fake_begin(f);
	fake_probe(f, "probe", 1, one_integer);
}

/* Returns the storage of all lanes for a bufsize, by the plan itself. */
static uint64_t
storage_for(uint64_t bufsize)
{
	struct tbuf_order o = {
		.terms = { .bufsize = bufsize, .policy = TBUF_SWITCH,
		    .strsize = 256, .only_cpu = -1 },
		.rseq = true, .patterns = ":::", .patterns_size = 4,
		.npatterns = 1
	};
	struct tbuf_area p;

	tbuf_target_cpus(getpid(), &o.cpus);
	ck_assert_int_eq(tbuf_area_make(&o, &p), 0);
	return (p.storage);
}

START_TEST(auto_halves_until_all_lanes_fit)
{
	struct tbuf_consumer *c = fake_consumer("bufsize=4g");
	uint64_t expected = UINT64_C(4) << 30;
	struct fake f;
	int64_t size;

	begin(&f);
	setenv("TBUF_MAXSIZE", "64m", 1);
	while (storage_for(expected) > 64 << 20)
		expected /= 2;
	fake_grab(&f, c);
	ck_assert_int_eq(tbuf_consumer_go(c), 0);
	ck_assert(tbuf_consumer_lowered(c));
	ck_assert_int_eq(tbuf_consumer_get(c, "bufsize", &size), 0);
	ck_assert_uint_eq((uint64_t)size, expected);
	tbuf_consumer_close(c);
	fake_end(&f);
}
END_TEST

START_TEST(what_fits_is_not_lowered)
{
	struct tbuf_consumer *c = fake_consumer("bufsize=64k");
	struct fake f;
	char text[32];

	begin(&f);
	snprintf(text, sizeof(text), "%lu",
	    (unsigned long)storage_for(64 << 10));
	setenv("TBUF_MAXSIZE", text, 1);
	fake_grab(&f, c);
	ck_assert_int_eq(tbuf_consumer_go(c), 0);
	ck_assert(!tbuf_consumer_lowered(c));
	tbuf_consumer_close(c);
	fake_end(&f);
}
END_TEST

START_TEST(manual_refuses_and_leaves_no_trace)
{
	struct tbuf_consumer *c =
	    fake_consumer("bufsize=4g bufresize=manual");
	struct fake f;

	begin(&f);
	setenv("TBUF_MAXSIZE", "64m", 1);
	fake_grab(&f, c);
	ck_assert_int_eq(tbuf_consumer_go(c), -ENOSPC);
	ck_assert_str_eq(tbuf_consumer_error(c),
	    "could not enable tracing: Not enough space");
	ck_assert_uint_eq(f.control->state[0], TBUF_FREE);
	ck_assert_uint_eq(f.control->end, f.tables.areas);
	tbuf_consumer_close(c);
	fake_end(&f);
}
END_TEST

START_TEST(all_targets_share_the_budget)
{
	struct tbuf_consumer *c = fake_consumer("bufsize=1m");
	struct fake f;
	char text[32];
	int64_t size;

	begin(&f);
	snprintf(text, sizeof(text), "%lu",
	    (unsigned long)storage_for(512 << 10) * 2);
	setenv("TBUF_MAXSIZE", text, 1);
	/* One file serves as two targets. */
	fake_grab(&f, c);
	fake_grab(&f, c);
	ck_assert_int_eq(tbuf_consumer_go(c), 0);
	ck_assert_int_eq(tbuf_consumer_get(c, "bufsize", &size), 0);
	ck_assert_int_eq(size, 512 << 10);
	tbuf_consumer_close(c);
	fake_end(&f);
}
END_TEST

START_TEST(no_size_is_small_enough)
{
	struct tbuf_consumer *c = fake_consumer("bufsize=1m");
	struct fake f;

	begin(&f);
	setenv("TBUF_MAXSIZE", "64", 1);
	fake_grab(&f, c);
	ck_assert_int_eq(tbuf_consumer_go(c), -ENOSPC);
	tbuf_consumer_close(c);
	fake_end(&f);
}
END_TEST

START_TEST(maxsize_has_to_be_a_size)
{
	struct tbuf_consumer *c = fake_consumer("");
	struct fake f;

	begin(&f);
	setenv("TBUF_MAXSIZE", "lots", 1);
	fake_grab(&f, c);
	ck_assert_int_eq(tbuf_consumer_go(c), -EINVAL);
	ck_assert_str_eq(tbuf_consumer_error(c),
	    "invalid TBUF_MAXSIZE: lots (expected a size, such as 64m)");
	tbuf_consumer_close(c);
	fake_end(&f);
}
END_TEST

/* The check prevents a signal, which would end this process. */
START_TEST(file_size_limit_is_looked_at_first)
{
	struct tbuf_consumer *c = fake_consumer("bufsize=64m");
	struct rlimit limit = { 16 << 20, 16 << 20 };
	struct fake f;
	int64_t size;

	begin(&f);
	signal(SIGXFSZ, SIG_DFL);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	fake_grab(&f, c);
	ck_assert_int_eq(tbuf_consumer_go(c), 0);
	ck_assert(tbuf_consumer_lowered(c));
	ck_assert_int_eq(tbuf_consumer_get(c, "bufsize", &size), 0);
	ck_assert_uint_le(f.control->end, 16 << 20);
	tbuf_consumer_close(c);
	fake_end(&f);
}
END_TEST

/* An invented hierarchy of groups is in this directory. */
static char top[64];

static void
put(const char *path, const char *text)
{
	char full[256], *slash;
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", top, path);
	for (slash = full + strlen(top) + 1;
	    (slash = strchr(slash, '/')) != NULL; slash++) {
		*slash = '\0';
		mkdir(full, 0700);
		*slash = '/';
	}
	ck_assert_ptr_nonnull(file = fopen(full, "w"));
	fputs(text, file);
	fclose(file);
}

static uint64_t
room(void)
{
	char cgroup[128], mountinfo[128];

	snprintf(cgroup, sizeof(cgroup), "%s/cgroup", top);
	snprintf(mountinfo, sizeof(mountinfo), "%s/mountinfo", top);
	return (tbuf_room_groups(cgroup, mountinfo));
}

static void
groups_begin(void)
{
	scratch_directory(top, sizeof(top));
}

static void
groups_end(void)
{
	scratch_remove(top);
}

START_TEST(unified_groups_are_looked_at_up_to_the_top)
{
	char line[256];

	groups_begin();
	snprintf(line, sizeof(line), "30 20 0:26 / %s/cg rw,nosuid shared:4 "
	    "- cgroup2 cgroup2 rw,nsdelegate\n", top);
	put("mountinfo", line);
	put("cgroup", "0::/user/shell\n");
	put("cg/user/shell/memory.max", "max\n");
	ck_assert_uint_eq(room(), UINT64_MAX);
	put("cg/user/memory.max", "1000000\n");
	put("cg/user/memory.current", "400000\n");
	ck_assert_uint_eq(room(), 600000);
	/* Cache that the kernel would free counts as room. */
	put("cg/user/memory.stat", "anon 5\ninactive_file 100000\n");
	ck_assert_uint_eq(room(), 700000);
	put("cg/user/shell/memory.max", "500000\n");
	put("cg/user/shell/memory.current", "499000\n");
	ck_assert_uint_eq(room(), 1000);
	put("cg/user/shell/memory.current", "600000\n");
	ck_assert_uint_eq(room(), 0);
	groups_end();
}
END_TEST

START_TEST(high_is_a_limit_too)
{
	char line[256];

	groups_begin();
	snprintf(line, sizeof(line),
	    "30 20 0:26 / %s/cg rw - cgroup2 cgroup2 rw\n", top);
	put("mountinfo", line);
	put("cgroup", "0::/a\n");
	put("cg/a/memory.max", "1000000\n");
	put("cg/a/memory.high", "300000\n");
	put("cg/a/memory.current", "100000\n");
	ck_assert_uint_eq(room(), 200000);
	groups_end();
}
END_TEST

START_TEST(version_one_memory_controller)
{
	char line[512];

	groups_begin();
	snprintf(line, sizeof(line),
	    "31 20 0:27 / %s/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
	    "32 20 0:28 /docker/x %s/mem rw - cgroup cgroup rw,memory\n",
	    top, top);
	put("mountinfo", line);
	put("cgroup", "5:cpu,cpuacct:/docker/x\n4:memory:/docker/x/y\n");
	put("mem/y/memory.limit_in_bytes", "9223372036854771712\n");
	put("mem/y/memory.usage_in_bytes", "100\n");
	put("mem/memory.limit_in_bytes", "5000\n");
	put("mem/memory.usage_in_bytes", "1000\n");
	put("mem/memory.stat", "cache 1\ntotal_inactive_file 500\n");
	ck_assert_uint_eq(room(), 4500);
	groups_end();
}
END_TEST

START_TEST(both_versions_at_once)
{
	char line[512];

	groups_begin();
	snprintf(line, sizeof(line),
	    "30 20 0:26 / %s/cg rw - cgroup2 cgroup2 rw\n"
	    "32 20 0:28 / %s/mem rw - cgroup cgroup rw,memory\n"
	    "33 20 0:28 / %s/again rw - cgroup cgroup rw,memory\n",
	    top, top, top);
	put("mountinfo", line);
	put("cgroup", "4:memory:/x\n0::/y\n");
	put("mem/x/memory.limit_in_bytes", "5000\n");
	put("mem/x/memory.usage_in_bytes", "1000\n");
	put("again/x/memory.limit_in_bytes", "5\n");
	put("cg/y/memory.max", "3000\n");
	put("cg/y/memory.current", "100\n");
	ck_assert_uint_eq(room(), 2900);
	put("cg/y/memory.max", "max\n");
	ck_assert_uint_eq(room(), 4000);
	groups_end();
}
END_TEST

/* The usage is not read then, as the kernel would have to add it up. */
START_TEST(no_limit_of_version_one)
{
	char line[256];

	groups_begin();
	snprintf(line, sizeof(line),
	    "32 20 0:28 / %s/mem rw - cgroup cgroup rw,memory\n", top);
	put("mountinfo", line);
	put("cgroup", "4:memory:/x\n");
	put("mem/x/memory.limit_in_bytes", "9223372036854771712\n");
	put("mem/x/memory.usage_in_bytes", "9223372036854771712\n");
	ck_assert_uint_eq(room(), UINT64_MAX);
	groups_end();
}
END_TEST

START_TEST(no_groups_no_limit)
{
	groups_begin();
	ck_assert_uint_eq(room(), UINT64_MAX);
	put("cgroup", "garbage\n0::\n7:memory\n");
	put("mountinfo", "garbage\n1 2 - - -\n");
	ck_assert_uint_eq(room(), UINT64_MAX);
	groups_end();
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("budget");
	TCase *t = tcase_create("budget");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, auto_halves_until_all_lanes_fit);
	tcase_add_test(t, what_fits_is_not_lowered);
	tcase_add_test(t, manual_refuses_and_leaves_no_trace);
	tcase_add_test(t, all_targets_share_the_budget);
	tcase_add_test(t, no_size_is_small_enough);
	tcase_add_test(t, maxsize_has_to_be_a_size);
	tcase_add_test(t, file_size_limit_is_looked_at_first);
	tcase_add_test(t, unified_groups_are_looked_at_up_to_the_top);
	tcase_add_test(t, high_is_a_limit_too);
	tcase_add_test(t, version_one_memory_controller);
	tcase_add_test(t, both_versions_at_once);
	tcase_add_test(t, no_limit_of_version_one);
	tcase_add_test(t, no_groups_no_limit);
	suite_add_tcase(s, t);
	return (run_suite(s));
}
