/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The map of an object: each way by which control arrives between instructions
 * is found, functions have their parts, and a function with a jump that is not
 * understood is refused.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <check.h>

#include "lib/check_main.h"
#include "lib/startup_pad.h"
#include "pid/image.h"
#include "pid/plan.h"

/* ------------------------------------------------------------ tried code */

#define FUNCTION(name, text)						\
	__asm__(".text\n.globl map_" name "\n"				\
	    ".type map_" name ", @function\n"				\
	    "map_" name ":\n\t.cfi_startproc\n\t" text "\n\t"		\
	    ".cfi_endproc\n.size map_" name ", . - map_" name "\n")
#define DECLARE(name)	extern const uint8_t map_##name[]

/* Their places are known by their offsets: a symbol would be an arrival. */
FUNCTION("straight", "mov %rdi, %rax\n add %rsi, %rax\n ret");
FUNCTION("branched", "test %edi, %edi\n je 1f\n nop\n 1: xor %eax, %eax\n ret");
FUNCTION("called", "push %rbx\n call map_straight\n pop %rbx\n ret");
FUNCTION("computed",
    "lea 9f(%rip), %rdx\n movslq (%rdx,%rdi,4), %rax\n add %rdx, %rax\n"
    " jmp *%rax\n 1: mov $1, %eax\n ret\n 2: mov $2, %eax\n ret\n"
    ".section .rodata\n .balign 4\n 9: .long 1b - 9b, 2b - 9b\n .text");
FUNCTION("added",
    "lea 9f(%rip), %rdx\n movslq (%rdx,%rdi,4), %rax\n"
    " lea (%rdx,%rax), %rcx\n"
    " jmp *%rcx\n 1: mov $1, %eax\n ret\n 2: mov $2, %eax\n ret\n"
    ".section .rodata\n .balign 4\n 9: .long 1b - 9b, 2b - 9b\n .text");
FUNCTION("unknown",
    "lea (%rdi,%rdi,2), %rax\n lea 1f(%rip), %rdx\n add %rdx, %rax\n"
    " jmp *%rax\n .balign 32\n 1: ret\n nop\n nop\n ret");
FUNCTION("pointer", "mov 8(%rdi), %rax\n jmp *%rax");
FUNCTION("either",
    "lea 9f(%rip), %rdx\n mov (%rdx,%rdi,8), %rax\n jmp *%rax\n"
    ".section .data.rel.ro, \"aw\"\n .balign 8\n"
    " 9: .quad map_straight, map_branched\n .text");
FUNCTION("in_data", "nop\n nop\n 7: nop\n ret\n"
    ".section .data.rel.ro, \"aw\"\n .balign 8\n .quad 7b\n .text");
FUNCTION("tail", "test %rdi, %rdi\n jne map_straight\n jmp map_branched");
FUNCTION("framed", "push %rbx\n .cfi_adjust_cfa_offset 8\n"
    " test %rdi, %rdi\n jne map_straight\n pop %rbx\n"
    " .cfi_adjust_cfa_offset -8\n ret");
FUNCTION("runs_on", "nop\n nop");
FUNCTION("after", "ret");

/* Pieces without symbols: of one function, and one that two jump to. */
#define PIECE(label, text)						\
	__asm__(".section .text.unlikely, \"ax\"\n" label ":\n\t"	\
	    ".cfi_startproc\n\t" text "\n\t.cfi_endproc\n .text\n")

FUNCTION("parted", "test %edi, %edi\n jne .Lcold\n .Lback: ret");
PIECE(".Lcold", "mov $7, %eax\n test %esi, %esi\n jne .Lback\n ret");
FUNCTION("first", "mov $1, %eax\n jmp .Lshared");
FUNCTION("second", "mov $2, %eax\n jmp .Lshared");
PIECE(".Lshared", "add $1, %eax\n ret");
/* A function, and its table of places, jump into the middle of its frame. */
FUNCTION("tabled", "push %rbx\n .cfi_adjust_cfa_offset 8\n"
    " test %edi, %edi\n jne .Lframe\n pop %rbx\n"
    " .cfi_adjust_cfa_offset -8\n ret\n"
    ".section .data.rel.ro, \"aw\"\n .balign 8\n .quad .Lframe\n .text");
PIECE(".Lframe", ".cfi_def_cfa_offset 16\n pop %rbx\n"
    " .cfi_def_cfa_offset 8\n ret");

/* A segment of its own (Makefile.inc), with ways to this one and from it. */
#define FARAWAY(name, text)						\
	__asm__(".section elsewhere, \"ax\", @progbits\n"		\
	    ".globl map_" name "\n.type map_" name ", @function\n"	\
	    "map_" name ":\n\t.cfi_startproc\n\t" text "\n\t"		\
	    ".cfi_endproc\n.size map_" name ", . - map_" name "\n .text\n")

FARAWAY("far", "test %edi, %edi\n nop\n .Lfar: nop\n mov $1, %eax\n"
    " jmp .Lnear");
FUNCTION("near", "test %edi, %edi\n je .Lfar\n nop\n"
    " .Lnear: xor %eax, %eax\n nop\n nop\n ret");
FARAWAY("far_computed",
    "lea 9f(%rip), %rdx\n movslq (%rdx,%rdi,4), %rax\n add %rdx, %rax\n"
    " jmp *%rax\n 1: mov $1, %eax\n ret\n 2: mov $2, %eax\n ret\n"
    ".pushsection .rodata\n .balign 4\n 9: .long 1b - 9b, 2b - 9b\n .popsection");
FARAWAY("far_tail", "test %rdi, %rdi\n jne map_straight\n ret");
DECLARE(straight);
DECLARE(branched);
DECLARE(called);
DECLARE(computed);
DECLARE(added);
DECLARE(unknown);
DECLARE(pointer);
DECLARE(either);
DECLARE(in_data);
DECLARE(tail);
DECLARE(framed);
DECLARE(runs_on);
DECLARE(parted);
DECLARE(first);
DECLARE(second);
DECLARE(tabled);
DECLARE(far);
DECLARE(near);
DECLARE(far_computed);
DECLARE(far_tail);

static struct pid_functions own;

static int
read_own(struct dl_phdr_info *info, size_t size, void *problem)
{
	struct pid_memory memory = { .info = *info };
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	(void)size;
	memory.is_fixed = info->dlpi_addr == 0;
	*(const char **)problem = pid_functions_find(&own, &memory, fd,
	    NULL, NULL);
	close(fd);
	return (1);
}

static void
setup(void)
{
	const char *problem = NULL;

	(void)dl_iterate_phdr(read_own, &problem);
	ck_assert_ptr_null(problem);
}

static void
teardown(void)
{
	pid_functions_free(&own);
}

/* Returns the function at an address. */
static struct patch_code *
code_at(const uint8_t *at)
{
	struct patch_code *code = patch_map_code(&own.map, (uintptr_t)at);

	ck_assert_ptr_nonnull(code);
	ck_assert_uint_eq(code->start, (uintptr_t)at);
	return (code);
}

/* The compiler must not put the address of the place into its code. */
static __attribute__((noinline)) bool
arrives(const uint8_t *function, size_t offset)
{
	__asm__ volatile("" : "+r"(function), "+r"(offset));
	return ((*patch_map_mark(&own.map, (uintptr_t)function + offset) &
	    PATCH_ARRIVAL) != 0);
}

struct list {
	uintptr_t all[8];
	unsigned n;
};

static void
take(void *list, uintptr_t at)
{
	struct list *l = list;

	ck_assert_uint_lt(l->n, 8);
	l->all[l->n++] = at;
}

/* Returns the reason of patch_map_exits(), and the exits. */
static const char *
exits_of(const uint8_t *function, struct list *l)
{
	l->n = 0;
	return (patch_map_exits(&own.map, (size_t)(code_at(function) -
	    own.map.codes), take, l));
}

/* ------------------------------------------------------------ tests */

START_TEST(instructions_are_found)
{
	const struct patch_code *code = code_at(map_straight);

	ck_assert_str_eq(code->name, "map_straight");
	ck_assert_ptr_null(code->problem);
	ck_assert_uint_eq(code->end - code->start, 7);
	ck_assert(arrives(map_straight, 0));
	ck_assert(!arrives(map_straight, 3));
	ck_assert_uint_eq(patch_map_next(&own.map, code->start),
	    code->start + 3);
	ck_assert_uint_eq(*patch_map_mark(&own.map, code->start + 1) &
	    (PATCH_BEGINS | PATCH_CODE), PATCH_CODE);
}
END_TEST

START_TEST(arrivals_are_found)
{
	/* by a branch, after a call, by a table, by a word of data */
	ck_assert(arrives(map_branched, 5));
	ck_assert(!arrives(map_branched, 4));
	ck_assert(arrives(map_called, 6));
	ck_assert(arrives(map_computed, 16));
	ck_assert(arrives(map_computed, 22));
	ck_assert(!arrives(map_computed, 21));
	ck_assert(arrives(map_added, 17));
	ck_assert(arrives(map_added, 23));
	ck_assert(arrives(map_in_data, 2));
	ck_assert(!arrives(map_in_data, 1));
	ck_assert_ptr_null(code_at(map_computed)->problem);
}
END_TEST

START_TEST(a_jump_that_is_not_understood_is_refused)
{
	ck_assert_str_eq(code_at(map_unknown)->problem,
	    "a computed jump is not understood");
	ck_assert_ptr_null(code_at(map_pointer)->problem);
	ck_assert_ptr_null(code_at(map_either)->problem);
}
END_TEST

START_TEST(a_function_ends_where_it_returns)
{
	struct list l;

	ck_assert_ptr_null(exits_of(map_straight, &l));
	ck_assert_uint_eq(l.n, 1);
	ck_assert_uint_eq(l.all[0], (uintptr_t)map_straight + 6);
	ck_assert_ptr_null(exits_of(map_computed, &l));
	ck_assert_uint_eq(l.n, 2);
	ck_assert_ptr_null(exits_of(map_added, &l));
	ck_assert_uint_eq(l.n, 2);
	ck_assert_ptr_null(exits_of(map_pointer, &l));
	ck_assert_uint_eq(l.n, 1);
	ck_assert_uint_eq(l.all[0], (uintptr_t)map_pointer + 4);
	ck_assert_str_eq(exits_of(map_either, &l), "a jump may be a return");
	ck_assert_ptr_null(exits_of(map_tail, &l));
	ck_assert_uint_eq(l.n, 2);
	ck_assert_uint_eq(l.all[0], (uintptr_t)map_tail + 3);
	ck_assert_str_eq(exits_of(map_framed, &l),
	    "a conditional jump leaves it");
	ck_assert_str_eq(exits_of(map_runs_on, &l),
	    "it runs into the next function");
}
END_TEST

START_TEST(a_part_belongs_to_its_function)
{
	const struct patch_code *all = own.map.codes, *parted, *piece;
	struct list l;

	parted = code_at(map_parted);
	ck_assert_uint_ne(parted->part, PATCH_NO_PART);
	piece = &all[parted->part];
	ck_assert_ptr_null(piece->name);
	ck_assert_uint_eq(piece->owner, (size_t)(parted - all));
	ck_assert_uint_eq(piece->part, PATCH_NO_PART);
	ck_assert_ptr_null(exits_of(map_parted, &l));
	ck_assert_uint_eq(l.n, 2);
	ck_assert_uint_eq(l.all[0], parted->end - 1);
	ck_assert_uint_eq(l.all[1], piece->end - 1);
}
END_TEST

START_TEST(a_piece_with_a_frame_is_a_part)
{
	const struct patch_code *tabled = code_at(map_tabled);
	struct list l;

	ck_assert_uint_ne(tabled->part, PATCH_NO_PART);
	ck_assert_ptr_null(exits_of(map_tabled, &l));
	ck_assert_uint_eq(l.n, 2);
}
END_TEST

/* Two functions end with a jump to it. */
START_TEST(a_piece_of_two_functions_is_one_itself)
{
	const struct patch_code *piece;
	struct list l;

	ck_assert_uint_eq(code_at(map_first)->part, PATCH_NO_PART);
	ck_assert_uint_eq(code_at(map_second)->part, PATCH_NO_PART);
	ck_assert_ptr_null(exits_of(map_first, &l));
	ck_assert_uint_eq(l.n, 1);
	piece = patch_map_code(&own.map, patch_map_target(&own.map, l.all[0]));
	ck_assert_ptr_nonnull(piece);
	ck_assert_uint_eq(piece->owner, (size_t)(piece - own.map.codes));
}
END_TEST

START_TEST(segments_of_code_are_one_text)
{
	struct list l;

	ck_assert_uint_gt((uintptr_t)map_far - (uintptr_t)map_near, 1u << 20);
	ck_assert(arrives(map_far, 3));
	ck_assert(!arrives(map_far, 2));
	ck_assert(arrives(map_near, 9));
	ck_assert(!arrives(map_near, 11));
	ck_assert_ptr_null(code_at(map_far_computed)->problem);
	ck_assert(arrives(map_far_computed, 16));
	ck_assert_ptr_null(exits_of(map_far_tail, &l));
	ck_assert_uint_eq(l.n, 2);
	ck_assert_uint_eq(patch_text_left(own.map.text, (uintptr_t)map_far),
	    own.map.text->end - (uintptr_t)map_far);
	ck_assert_uint_eq(patch_text_left(own.map.text, (uintptr_t)map_far -
	    PATCH_PAGE), 0);
}
END_TEST

/* ------------------------------------------------------------ coverage */

struct counts {
	unsigned functions, entries, exits, returning, complete;
};

static struct counts
count(const struct pid_plan *p)
{
	struct counts c = { .functions = (unsigned)p->nwishes };
	const struct pid_wish *wish = p->wishes;

	for (; wish < p->wishes + p->nwishes; wish++) {
		c.entries += wish->entry_problem == NULL;
		c.exits += (unsigned)(wish->nexits - wish->refused);
		if (wish->nexits == 0)
			continue;
		c.returning++;
		c.complete += wish->exit_problem == NULL;
	}
	return (c);
}

/* Prints the coverage of an object, and returns it. */
static struct counts
look_at(struct pid_functions *f, const char *path)
{
	struct pid_plan plan;
	struct counts c;
	size_t i;

	ck_assert_ptr_null(pid_plan_begin(&plan, f));
	for (i = 0; i < f->map.ncodes; i++)
		if (f->map.codes[i].owner == i)
			pid_plan_add(&plan, i, true, true);
	ck_assert_ptr_null(pid_plan_make(&plan));
	c = count(&plan);
	printf("%-33s %6u functions, %5.2f %% entries, %5.2f %% of those that "
	    "return\n", path, c.functions, 100. * c.entries / c.functions,
	    100. * c.complete / c.returning);
	pid_plan_free(&plan);
	return (c);
}

/* Returns with a count of no functions if the file is not installed. */
static struct counts
look_at_file(const char *path)
{
	struct pid_functions f = { .naliases = 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct counts c = { .functions = 0 };
	struct pid_image image;

	if (fd == -1)
		return (c);
	ck_assert_ptr_null(pid_image_read(&image, fd));
	ck_assert_ptr_null(pid_functions_find(&f, &image.memory, fd, NULL,
	    NULL));
	c = look_at(&f, path);
	pid_functions_free(&f);
	pid_image_free(&image);
	close(fd);
	return (c);
}

START_TEST(most_functions_of_systems_have_room)
{
	static const char *const all[] = {
		"/bin/bash", "/lib/x86_64-linux-gnu/libc.so.6",
		"/usr/bin/python3", "/lib/x86_64-linux-gnu/libcrypto.so.3",
		"/usr/bin/redis-server", "/usr/sbin/nginx",
		"/usr/lib/postgresql/15/bin/postgres", "/usr/bin/node"
	};
	unsigned least;
	struct counts c;
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		c = look_at_file(all[i]);
		if (c.functions == 0)
			continue;
		/* Assembly in node has data among its instructions. */
		least = strstr(all[i], "node") == NULL ? 995 : 990;
		ck_assert_uint_gt(c.functions, 1000);
		ck_assert_uint_ge(c.entries * 1000, c.functions * least);
		ck_assert_uint_ge(c.complete * 100, c.returning * 97);
	}
}
END_TEST

/* ------------------------------------------------------------ one alone */

#define SAMPLES	24u		/* of each file */

/* An object, and the plan of all or of some of its functions. */
struct object {
	struct pid_image image;
	struct pid_functions functions;
	struct pid_plan plan;
	const size_t *wanted;		/* functions; NULL: all */
	size_t nwanted;
};

static bool
want(void *object, struct pid_functions *f)
{
	const struct object *o = object;
	size_t i;

	for (i = 0; i < o->nwanted; i++)
		f->map.codes[o->wanted[i]].is_wanted = true;
	return (true);
}

static void
plan_object(struct object *o, int fd)
{
	size_t i;

	ck_assert_ptr_null(pid_image_read(&o->image, fd));
	ck_assert_ptr_null(pid_functions_find(&o->functions,
	    &o->image.memory, fd, o->wanted == NULL ? NULL : want, o));
	ck_assert_ptr_null(pid_plan_begin(&o->plan, &o->functions));
	for (i = 0; i < o->functions.map.ncodes; i++)
		if (o->functions.map.codes[i].owner == i &&
		    (o->wanted == NULL || o->functions.map.codes[i].is_wanted))
			pid_plan_add(&o->plan, i, true, true);
	ck_assert_ptr_null(pid_plan_make(&o->plan));
}

static void
free_object(struct object *o)
{
	pid_plan_free(&o->plan);
	pid_functions_free(&o->functions);
	pid_image_free(&o->image);
}

/* A function's ways are the same; its callers do not matter. */
static void
same_marks(const struct object *one, const struct object *all, size_t code)
{
	const struct patch_map *m = &one->functions.map;
	const struct patch_map *n = &all->functions.map;
	const uint16_t *left, *right;
	unsigned mask = (unsigned)~(PATCH_BUSY | PATCH_COPIED | PATCH_FILLER);
	uintptr_t at;

	ck_assert_uint_eq(m->codes[code].owner, n->codes[code].owner);
	ck_assert_uint_eq(m->codes[code].part, n->codes[code].part);
	left = patch_map_mark(m, m->codes[code].start);
	right = patch_map_mark(n, n->codes[code].start);
	for (at = 0; at < m->codes[code].end - m->codes[code].start; at++)
		ck_assert_msg(((left[at] ^ right[at]) & (at > 0 ? mask :
		    mask & (unsigned)~(PATCH_CALLED | PATCH_JUMPED))) == 0,
		    "%s+%#zx: %#x, of all: %#x", m->codes[code].name == NULL ?
		    "?" : m->codes[code].name, (size_t)at, left[at], right[at]);
}

/* Bytes around a function may be changed for it, and are as well known. */
static void
all_near(const struct patch_map *m, size_t code)
{
	size_t i;

	for (i = 0; i < m->ncodes; i++)
		if (m->codes[i].start < m->codes[code].end + PATCH_NEAR &&
		    m->codes[i].end + PATCH_NEAR > m->codes[code].start)
			ck_assert(m->codes[i].is_near);
}

/* Instructions and filler of near functions may be moved, or replaced. */
static void
near_ways(const struct patch_map *m, const struct patch_map *n, size_t code)
{
	uintptr_t at = m->codes[code].start + 1, base = m->text->start;
	uintptr_t end = m->codes[code].end + PATCH_NEAR, next;
	unsigned left, right;

	if (!m->codes[code].is_near || m->codes[code].problem != NULL)
		return;
	next = code + 1 < m->ncodes ? m->codes[code + 1].start : m->text->end;
	for (; at < end && at < next; at++) {
		left = *patch_map_mark(m, at);
		right = *patch_map_mark(n, at - base + n->text->start);
		ck_assert_msg((right & ~left & (PATCH_ARRIVAL | PATCH_BEGINS |
		    PATCH_CODE)) == 0, "%s+%#zx: %#x, of all: %#x",
		    m->codes[code].name == NULL ? "?" : m->codes[code].name,
		    (size_t)(at - m->codes[code].start), left, right);
	}
}

static void
same_text(const char *one, const char *all)
{
	if (one == NULL || all == NULL)
		ck_assert_ptr_eq(one, all);
	else
		ck_assert_str_eq(one, all);
}

/* Compares the places of a wish. */
static void
same_places(const struct object *one, const struct object *all,
    const struct pid_wish *w)
{
	uintptr_t base = one->functions.text.start;
	const struct patch_point *p = one->plan.points, *q;

	for (; p < one->plan.points + one->plan.npoints; p++) {
		if (p->function != w->function)
			continue;
		for (q = all->plan.points; q->at - all->functions.text.start !=
		    p->at - base || q->is_entry != p->is_entry; q++)
			ck_assert(q < all->plan.points + all->plan.npoints);
	}
}

static void
compare(const struct object *one, const struct object *all)
{
	const struct pid_wish *w = one->plan.wishes, *v;
	size_t i;

	for (i = 0; i < one->functions.map.ncodes; i++)
		near_ways(&one->functions.map, &all->functions.map, i);
	for (; w < one->plan.wishes + one->plan.nwishes; w++) {
		v = &all->plan.wishes[all->plan.wish_of[w->function]];
		ck_assert_uint_eq(v->function, w->function);
		ck_assert_uint_eq(v->nexits, w->nexits);
		/* Room for a jump depends on the other wishes. */
		same_text(one->functions.map.codes[w->function].problem,
		    all->functions.map.codes[w->function].problem);
		same_places(one, all, w);
		for (i = w->function; i != PATCH_NO_PART;
		    i = one->functions.map.codes[i].part) {
			same_marks(one, all, i);
			all_near(&one->functions.map, i);
		}
	}
}

/* Plans some functions of a file, 1 or 7 at a time, and all of them. */
static void
compare_file(const char *path)
{
	struct object all = { .wanted = NULL }, one;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t wanted[7], decoded = 0, k;
	unsigned i, n;

	if (fd == -1)
		return;
	plan_object(&all, fd);
	for (i = 0; i < SAMPLES; i++) {
		one = (struct object){ .wanted = wanted,
		    .nwanted = i % 4 == 3 ? 7 : 1 };
		for (n = 0; n < one.nwanted; n++)
			wanted[n] = (size_t)random() %
			    all.functions.map.ncodes;
		plan_object(&one, fd);
		compare(&one, &all);
		for (k = 0; k < one.functions.map.ncodes; k++)
			decoded += one.functions.map.codes[k].is_decoded;
		free_object(&one);
	}
	ck_assert_uint_lt(decoded, all.functions.map.ncodes * SAMPLES / 2);
	free_object(&all);
	close(fd);
}

START_TEST(a_function_alone_is_as_with_all)
{
	const char *set = getenv("SEED");
	unsigned seed = set != NULL ? (unsigned)strtoul(set, NULL, 0) :
	    26;

	printf("seed %u\n", seed);
	srandom(seed);
	compare_file("/proc/self/exe");
	compare_file("/bin/bash");
	compare_file("/lib/x86_64-linux-gnu/libc.so.6");
	compare_file("/usr/bin/python3");
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("map");
	TCase *tcase = tcase_create("all");

	tcase_set_timeout(tcase, 120);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, instructions_are_found);
	tcase_add_test(tcase, arrivals_are_found);
	tcase_add_test(tcase, a_jump_that_is_not_understood_is_refused);
	tcase_add_test(tcase, a_function_ends_where_it_returns);
	tcase_add_test(tcase, a_part_belongs_to_its_function);
	tcase_add_test(tcase, a_piece_with_a_frame_is_a_part);
	tcase_add_test(tcase, a_piece_of_two_functions_is_one_itself);
	tcase_add_test(tcase, segments_of_code_are_one_text);
	tcase_add_test(tcase, most_functions_of_systems_have_room);
	tcase_add_test(tcase, a_function_alone_is_as_with_all);
	suite_add_tcase(suite, tcase);
	return (run_suite(suite));
}
