/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Laying sessions out and building them.
 */
#include "base/optimize_size.h"

#include <errno.h>
#include <string.h>

#include "arch/atomics.h"
#include "base/glob.h"
#include "shared/array_element.h"
#include "shared/session_build.h"

static uint64_t
round_up(uint64_t value, uint64_t to)
{
	return ((value + to - 1) / to * to);
}

static uint64_t
least(uint64_t a, uint64_t b)
{
	return (a < b ? a : b);
}

unsigned
tbuf_cpus_count(const struct tbuf_cpus *cpus)
{
	unsigned n = 0, i;

	for (i = 0; i < TBUF_NCPUS / 64; i++)
		n += (unsigned)__builtin_popcountll(cpus->bits[i]);
	return (n);
}

/* A word of a structure, for any types of its fields. */
typedef uint64_t __attribute__((may_alias)) terms_word;

bool
tbuf_terms_read(const struct tbuf_terms *from, struct tbuf_terms *terms)
{
	const terms_word *words = (const void *)from;
	terms_word *copy = (void *)terms;
	bool good;
	size_t i;

	for (i = 0; i < sizeof(*terms) / sizeof(*copy); i++)
		copy[i] = tbuf_load(&words[i]);
	good = terms->policy < TBUF_NPOLICIES;
	if (!good)
		terms->policy = TBUF_SWITCH;
	if (terms->strsize < TBUF_STRSIZE_MIN ||
	    terms->strsize > TBUF_STRSIZE_MAX)
		terms->strsize = TBUF_STRSIZE_MIN;
	terms->owner[sizeof(terms->owner) - 1] = '\0';
	return (good);
}

uint64_t
tbuf_lane_storage(uint64_t size, enum tbuf_policy policy)
{
	uint64_t need = tbuf_policy(policy)->halves * size;
	uint64_t storage = 64;

	while (storage < need)
		storage *= 2;
	return (storage);
}

/*
 * Stores the CPUs that get lanes: those of the target, or the one of -x cpu, or
 * the first if none is known.
 */
static void
lane_cpus(const struct tbuf_order *order, struct tbuf_cpus *cpus)
{
	*cpus = order->cpus;
	if (order->terms.only_cpu >= 0) {
		memset(cpus, 0, sizeof(*cpus));
		tbuf_cpus_add(cpus, (unsigned)order->terms.only_cpu);
	}
	if (tbuf_cpus_count(cpus) == 0)
		tbuf_cpus_add(cpus, 0);
}

static uint64_t
lane_size(const struct tbuf_area *layout, uint32_t lane)
{
	if (lane < layout->ncpu_lanes)
		return (layout->cpu_size);
	if (lane < layout->ncpu_lanes + layout->nlocks)
		return (layout->lock_size);
	return (lane < layout->nmain ? layout->spare_size :
	    layout->thread_lane_size);
}

uint64_t
tbuf_table_bytes(uint64_t aggsize)
{
	uint64_t storage = TBUF_TABLE_MIN;

	while (storage < aggsize && storage < TBUF_TABLE_MAX)
		storage *= 2;
	return (storage);
}

/*
 * Returns the bytes of a lane's aggregation table: small for lock lanes beside
 * CPU lanes and for spares, which few threads use.
 */
static uint64_t
table_size(const struct tbuf_order *order, const struct tbuf_area *layout,
    uint32_t lane)
{
	uint64_t storage = tbuf_table_bytes(order->aggsize);
	uint32_t large = layout->ncpu_lanes != 0 ? layout->ncpu_lanes :
	    layout->nlocks;

	return (lane < large ? storage : least(storage, TBUF_TABLE_LOCK));
}

/* Returns the offset of a lane's storage if the space up to `at` is taken. */
static uint64_t
lane_place(uint64_t at, uint64_t storage)
{
	return (round_up(at, least(storage, TBUF_PAGE)));
}

uint64_t
tbuf_lane_stride(uint64_t size, enum tbuf_policy policy)
{
	return (round_up(tbuf_lane_storage(size, policy), TBUF_PAGE));
}

/*
 * Lays the parts out and returns their end.  A part is taken as TBUF_META_MAX
 * bytes at most, which is too large already.
 */
static uint64_t
layout_parts(const struct tbuf_order *order, struct tbuf_area *layout,
    uint64_t at)
{
	unsigned i;

	if (order->parts[TBUF_PART_CODES] == 0)
		return (at);
	for (i = 0; i < TBUF_PARTS; i++) {
		layout->parts[i] = round_up(at, 8);
		at = layout->parts[i] + least(order->parts[i], TBUF_META_MAX);
	}
	layout->globals = round_up(at, 8);
	return (layout->globals + order->globals);
}

/*
 * Lays out the holders of thread lanes, and the words of all lanes with those
 * that may be added, after the rest of the metadata.
 */
static void
layout_pool(struct tbuf_area *layout)
{
	if (layout->nlanes == layout->nmain)
		return;
	layout->holders = layout->data;
	layout->lanes = round_up(layout->holders + (layout->nlanes_max -
	    layout->nmain) * sizeof(struct tbuf_holder), 64);
	layout->words_end = layout->lanes +
	    layout->nlanes * sizeof(struct tbuf_lane);
	layout->data = round_up(layout->lanes + layout->nlanes_max *
	    sizeof(struct tbuf_lane), TBUF_PAGE);
}

/*
 * Reads the selection of the enabling at p.  Returns the next enabling's text,
 * or NULL if the text at p does not end.
 */
static const char *
selection_next(const struct tbuf_order *order, const char *p,
    uint64_t *selection)
{
	const char *end = order->patterns + order->patterns_size;
	const char *nul = p == NULL ? NULL :
	    memchr(p, '\0', (size_t)(end - p));

	*selection = 0;
	if (nul == NULL)
		return (NULL);
	(void)tbuf_description_end(p, nul, selection);
	return (nul + 1);
}

static bool
has_selections(const struct tbuf_order *order)
{
	const char *p = order->patterns;
	uint64_t selection, size;
	uint32_t i;

	if (tbuf_terms_units(&order->terms, &size) == 0)
		return (false);
	for (i = 0; i < order->npatterns; i++) {
		p = selection_next(order, p, &selection);
		if (selection != 0)
			return (true);
	}
	return (false);
}

/* Lays out the room for lines of executable mappings; returns its end. */
static uint64_t
layout_mappings(const struct tbuf_order *order, struct tbuf_area *layout,
    uint64_t at)
{
	if ((order->terms.flags & TBUF_S_NAMES) == 0)
		return (at);
	layout->mappings = round_up(at, 8);
	layout->mappings_size = TBUF_MAPPINGS_MAX;
	return (layout->mappings + layout->mappings_size);
}

/* Lays out the area up to its storage. */
static void
layout_meta(const struct tbuf_order *order, struct tbuf_area *layout)
{
	bool clauses = order->parts[TBUF_PART_CODES] != 0;
	uint64_t at, size;

	layout->ecb_max = (uint32_t)least((uint64_t)(order->epids != 0 ?
	    order->epids : order->npatterns) * order->entries + 1,
	    tbuf_terms_units(&order->terms, &size) != 0 ? TBUF_EPID_UNIT :
	    clauses ? TBUF_EPID_COMMIT : TBUF_ECBS_MAX);
	layout->patterns = sizeof(struct tbuf_session);
	at = layout->patterns + order->patterns_size;
	if (has_selections(order)) {
		layout->selections = round_up(at, 8);
		at = layout->selections + order->npatterns * sizeof(uint64_t);
	}
	/* lane_of_cpu has offsets divided by 64. */
	at = layout->lanes = round_up(at, 64);
	if (layout->nlanes == layout->nmain)
		at += layout->nlanes * sizeof(struct tbuf_lane);
	if (clauses) {
		layout->counters = at;
		at += layout->nmain * sizeof(struct tbuf_lane_counters);
	}
	at = layout_mappings(order, layout, layout_parts(order, layout, at));
	layout->heads = round_up(at, TBUF_PAGE);
	layout->ecbs = layout->heads +
	    round_up(order->entries * sizeof(uint32_t), TBUF_PAGE);
	layout->clauses = layout->ecbs +
	    round_up(layout->ecb_max * sizeof(struct tbuf_ecb), TBUF_PAGE);
	layout->data = layout->clauses + (!clauses ? 0 :
	    round_up(layout->ecb_max * sizeof(struct tbuf_clause), TBUF_PAGE));
	layout_pool(layout);
}

/* Returns the end of one aggregation table for each lane, from `at` on. */
static uint64_t
layout_tables(const struct tbuf_order *order, const struct tbuf_area *layout,
    uint64_t at)
{
	uint64_t storage;
	uint32_t i;

	for (i = 0; i < layout->nmain; i++) {
		storage = table_size(order, layout, i);
		at = lane_place(at, storage) + storage;
	}
	return (at);
}

/* Lays out a buffer for each id and lane, within maxima; returns its end. */
static uint64_t
layout_speculations(const struct tbuf_order *order, struct tbuf_area *layout,
    uint64_t at)
{
	if (order->nspec == 0)
		return (at);
	layout->speculated = (uint32_t)(sizeof(struct tbuf_speculated) +
	    round_up(least(order->specsize & ~UINT64_C(7),
	    TBUF_SPECSIZE_MAX), 64));
	layout->speculations = round_up(at, TBUF_PAGE);
	return (layout->speculations + (uint64_t)layout->speculated *
	    least(order->nspec, TBUF_NSPEC) * layout->nmain);
}

/*
 * Decides the number and sizes of lanes.  With thread lanes, CPU lanes are
 * small: only threads that find no free lane use them.
 */
static void
layout_lanes(const struct tbuf_order *order, struct tbuf_area *layout,
    uint64_t size, uint32_t ncpus)
{
	uint32_t pool = tbuf_terms_thread_lanes(&order->terms);

	layout->thread_lane_size = size;
	layout->spare_size = least(size, TBUF_LOCK_SIZE);
	layout->cpu_size = (order->terms.flags & TBUF_S_THREAD) != 0 ?
	    layout->spare_size : size;
	if (order->rseq) {
		layout->ncpu_lanes = ncpus;
		layout->nlocks = TBUF_LOCKS_BESIDE;
		layout->lock_size = layout->spare_size;
	} else {
		layout->nlocks = (uint32_t)least(ncpus,
		    TBUF_NLOCKS - TBUF_SPARES);
		layout->lock_size = layout->cpu_size;
	}
	layout->nlocks_max = layout->nlocks + TBUF_SPARES;
	layout->nmain = layout->ncpu_lanes + layout->nlocks_max;
	layout->nlanes = layout->nmain + (uint32_t)least(pool,
	    TBUF_THREAD_LANES_MAX);
	layout->nlanes_max = pool == 0 || tbuf_terms_recorder(&order->terms) ?
	    layout->nlanes :
	    (uint32_t)least(layout->nmain + TBUF_THREAD_LANES_MAX, TBUF_NLANES);
	if (layout->nlanes > layout->nlanes_max)
		layout->nlanes = layout->nlanes_max;
}

static uint64_t
layout_units(const struct tbuf_order *order, struct tbuf_area *layout,
    uint64_t at)
{
	uint64_t size;
	uint32_t n = tbuf_terms_units(&order->terms, &size);

	if (n == 0)
		return (at);
	layout->units = round_up(at, TBUF_PAGE);
	layout->units_size = tbuf_units_tables(n) + n * size;
	return (layout->units + layout->units_size);
}

int
tbuf_area_make(const struct tbuf_order *order, struct tbuf_area *layout)
{
	struct tbuf_cpus cpus;
	uint64_t at, size, storage, unit;
	uint32_t ncpus, i;

	size = order->terms.bufsize & ~UINT64_C(7);
	if (size < TBUF_BUFSIZE_MIN || order->npatterns == 0)
		return (-EINVAL);
	if (size > TBUF_BUFSIZE_MAX)
		return (-ENOSPC);
	memset(layout, 0, sizeof(*layout));
	lane_cpus(order, &cpus);
	ncpus = tbuf_cpus_count(&cpus);
	layout_lanes(order, layout, size, ncpus);
	layout_meta(order, layout);
	if (layout->data > TBUF_META_MAX)
		return (-E2BIG);
	for (at = layout->data, i = 0; i < layout->nlanes; i++) {
		storage = tbuf_lane_storage(lane_size(layout, i),
		    order->terms.policy);
		at = lane_place(at, storage) + storage;
	}
	if (order->aggsize != 0 || order->blocks != 0 ||
	    order->dynamic != 0 || order->nspec != 0 ||
	    tbuf_terms_units(&order->terms, &unit) != 0)
		layout->zeroes = at = round_up(at, TBUF_PAGE);
	if (order->aggsize != 0) {
		layout->tables[0] = at;
		layout->tables_end = at = layout_tables(order, layout, at);
	}
	if (order->blocks != 0) {
		layout->blocks = round_up(at, TBUF_PAGE);
		at = layout->blocks + least(order->blocks, TBUF_BUFSIZE_MAX);
	}
	if (order->dynamic != 0) {
		layout->dynamic = round_up(at, TBUF_PAGE);
		at = layout->dynamic + least(order->dynamic, TBUF_BUFSIZE_MAX);
	}
	at = layout_speculations(order, layout, at);
	at = layout_units(order, layout, at);
	at = round_up(at, TBUF_PAGE);
	layout->storage = at - layout->data;
	if (order->aggsize != 0) {
		layout->tables[1] = at;
		at = layout_tables(order, layout, at);
	}
	layout->size = round_up(at, TBUF_PAGE);
	return (0);
}

/* Returns the CPU number n of a set, modulo its size. */
static uint32_t
nth_cpu(const struct tbuf_cpus *cpus, uint32_t n)
{
	uint32_t cpu;

	for (n %= tbuf_cpus_count(cpus), cpu = 0; cpu < TBUF_NCPUS; cpu++)
		if (tbuf_cpus_has(cpus, cpu) && n-- == 0)
			break;
	return (cpu);
}

static void
counters_make(struct tbuf_lane *lanes, uint64_t area,
    const struct tbuf_area *layout)
{
	uint32_t i;

	for (i = 0; layout->counters != 0 && i < layout->nmain; i++)
		lanes[i].counters = area + layout->counters +
		    i * sizeof(struct tbuf_lane_counters);
}

static void
tables_make(struct tbuf_lane *lanes, uint64_t area, unsigned which,
    const struct tbuf_order *order, const struct tbuf_area *layout)
{
	uint64_t at = area + layout->tables[which], storage;
	uint32_t i;

	for (i = 0; i < layout->nmain && order->aggsize != 0; i++) {
		storage = table_size(order, layout, i);
		at = lane_place(at, storage);
		lanes[i].table[which] = tbuf_place(at, storage);
		at += storage;
	}
}

void
tbuf_thread_lane_make(struct tbuf_lane *lane, uint64_t at, uint64_t size,
    enum tbuf_policy policy)
{
	memset(lane, 0, sizeof(*lane));
	lane->size = lane->limit = size;
	lane->place = tbuf_place(at, tbuf_lane_storage(size, policy));
	lane->cpu = UINT32_MAX;
	lane->kind = TBUF_KIND_THREAD;
}

void
tbuf_lanes_make(struct tbuf_lane *lanes, uint64_t area,
    const struct tbuf_order *order, const struct tbuf_area *layout)
{
	struct tbuf_cpus cpus;
	uint64_t at = area + layout->data, size, storage;
	uint32_t i, cpu = 0;

	lane_cpus(order, &cpus);
	for (i = 0; i < layout->nlanes; i++, cpu++) {
		size = lane_size(layout, i);
		storage = tbuf_lane_storage(size, order->terms.policy);
		at = lane_place(at, storage);
		tbuf_thread_lane_make(&lanes[i], at, size,
		    order->terms.policy);
		at += storage;
		if (i < layout->ncpu_lanes) {
			while (!tbuf_cpus_has(&cpus, cpu))
				cpu++;
			lanes[i].cpu = cpu;
			lanes[i].kind = TBUF_KIND_CPU;
		} else if (i < layout->nmain) {
			lanes[i].cpu = nth_cpu(&cpus, i - layout->ncpu_lanes);
			lanes[i].kind = TBUF_KIND_LOCK;
		}
	}
	counters_make(lanes, area, layout);
	tables_make(lanes, area, 0, order, layout);
	tables_make(lanes, area, 1, order, layout);
}

/* Stores each CPU's lane in lane_of_cpu. */
static void
build_cpus(struct tbuf_slot *slot, uint64_t area,
    const struct tbuf_order *order, const struct tbuf_area *layout)
{
	struct tbuf_cpus cpus;
	uint32_t i, cpu = 0;

	lane_cpus(order, &cpus);
	memset(slot->lane_of_cpu, 0, sizeof(slot->lane_of_cpu));
	for (i = 0; i < layout->ncpu_lanes; i++, cpu++) {
		while (!tbuf_cpus_has(&cpus, cpu))
			cpu++;
		slot->lane_of_cpu[cpu] = (uint32_t)((area + layout->lanes +
		    i * sizeof(struct tbuf_lane)) / 64);
	}
}

static struct tbuf_part
part(uint64_t at, uint64_t size)
{
	return ((struct tbuf_part){ at, size });
}

/* Stores the places of a script's parts; without a script they are 0. */
static void
build_parts(struct tbuf_slot *slot, uint64_t area,
    const struct tbuf_order *order, const struct tbuf_area *layout)
{
	const struct tbuf_part none = { 0, 0 };
	bool clauses = order->parts[TBUF_PART_CODES] != 0;

	slot->clauses = clauses ? area + layout->clauses : 0;
	slot->codes = slot->programs = slot->texts = slot->globals = none;
	slot->blocks = slot->dynamic = none;
	slot->exit = 0;
	slot->unfit = 0;
	if (!clauses)
		return;
	slot->codes = part(area + layout->parts[TBUF_PART_CODES],
	    order->parts[TBUF_PART_CODES]);
	slot->programs = part(area + layout->parts[TBUF_PART_PROGRAMS],
	    order->parts[TBUF_PART_PROGRAMS]);
	slot->texts = part(area + layout->parts[TBUF_PART_TEXTS],
	    order->parts[TBUF_PART_TEXTS]);
	slot->globals = part(area + layout->globals, order->globals);
	if (layout->blocks != 0)
		slot->blocks = part(area + layout->blocks, order->blocks);
	if (layout->dynamic != 0)
		slot->dynamic = part(area + layout->dynamic, order->dynamic);
}

/* Frees all ids of speculations; the buffers are zero already. */
static void
build_speculations(struct tbuf_slot *slot, uint64_t area, uint64_t generation,
    const struct tbuf_order *order, const struct tbuf_area *layout)
{
	uint32_t i;

	slot->nspec = (uint32_t)least(order->nspec, TBUF_NSPEC);
	slot->speculated = layout->speculated;
	slot->speculations = part(slot->nspec == 0 ? 0 :
	    area + layout->speculations,
	    (uint64_t)slot->nspec * layout->speculated * layout->nmain);
	for (i = 0; i < TBUF_NSPEC; i++)
		tbuf_store(&slot->speculation[i], tbuf_speculation_word(
		    generation, 0, TBUF_INACTIVE));
}

void
tbuf_unit_rules_init(uint64_t *rules)
{
	unsigned i;

	for (i = 0; i < TBUF_UNIT_RULES; i++)
		rules[i] = tbuf_unit_default(i);
}

static void
build_slot(struct tbuf_slot *slot, uint64_t area, uint64_t generation,
    const struct tbuf_order *order, const struct tbuf_area *layout)
{
	uint32_t i, k;

	slot->area = area;
	slot->heads = area + layout->heads;
	slot->ecbs = area + layout->ecbs;
	slot->ecb_max = layout->ecb_max;
	slot->necbs = 1;
	slot->lanes = area + layout->lanes;
	slot->nlanes = layout->nlanes;
	slot->first_lock = layout->ncpu_lanes;
	slot->nlocks = layout->nlocks;
	slot->nlocks_max = layout->nlocks_max;
	slot->terms = order->terms;
	slot->terms.bufsize = layout->thread_lane_size;
	slot->ncpus = layout->ncpu_lanes;
	slot->fill_mask = tbuf_policy(order->terms.policy)->closes ?
	    UINT64_MAX : 0;
	slot->deadline = 0;
	slot->unmet = 0;
	slot->children = 0;
	slot->cleared = 0;
	slot->holders = layout->holders == 0 ? 0 : area + layout->holders;
	slot->first_thread_lane = layout->nmain;
	slot->nlanes_max = layout->nlanes_max;
	slot->released = 0;
	slot->flushes = slot->snapshots = 0;
	slot->turn = tbuf_turn(generation, 0);
	build_parts(slot, area, order, layout);
	build_speculations(slot, area, generation, order, layout);
	/* The entries of units are zero already. */
	slot->units = part(layout->units == 0 ? 0 : area + layout->units,
	    layout->units_size);
	for (i = 0; i < TBUF_NLOCKS; i++) {
		for (k = 0; k < TBUF_NLOST; k++)
			tbuf_store(&slot->locks[i].nolane[k],
			    tbuf_nolane_tag(generation));
		tbuf_store(&slot->locks[i].word, 2 * generation);
	}
}

/* Copies the initial values of globals from the codes. */
static void
build_globals(const struct tbuf_view *view, uint64_t area,
    const struct tbuf_order *order, const struct tbuf_area *layout)
{
	uint64_t size = order->parts[TBUF_PART_CODES];
	const unsigned char *codes = view->base + area +
	    layout->parts[TBUF_PART_CODES];
	struct tbuf_codes head;

	if (order->globals == 0 || size < sizeof(head))
		return;
	memcpy(&head, codes, sizeof(head));
	if (head.values <= size && order->globals <= size - head.values)
		memcpy(view->base + area + layout->globals, codes + head.values,
		    order->globals);
}

void
tbuf_session_elements(const struct tbuf_view *view, uint64_t area,
    const struct tbuf_order *order, const struct tbuf_area *layout,
    unsigned char *elements)
{
	uint64_t size = order->parts[TBUF_PART_CODES];
	unsigned char *codes = view->base + area +
	    layout->parts[TBUF_PART_CODES];
	struct tbuf_codes head;
	struct tbuf_sets sets;
	uint64_t drops;

	if (layout->dynamic == 0 || size < sizeof(head))
		return;
	memcpy(&head, codes, sizeof(head));
	if (head.elements % 8 != 0 || head.elements > size ||
	    head.elements_size > size - head.elements ||
	    !tbuf_sets_make(&sets, elements, order->dynamic, head.element))
		return;
	drops = tbuf_elements_begin(&sets, codes + head.elements,
	    head.elements_size);
	/* Counted at the first lane; its `counters` may be garbage. */
	if (drops != 0 && layout->counters != 0)
		((struct tbuf_lane_counters *)(void *)(view->base + area +
		    layout->counters))->dynamic = drops;
}

static void
build_selections(const struct tbuf_view *view, uint64_t area,
    const struct tbuf_order *order, const struct tbuf_area *layout)
{
	uint64_t *to = (uint64_t *)(void *)(view->base + area +
	    layout->selections);
	const char *p = order->patterns;
	uint32_t i;

	for (i = 0; layout->selections != 0 && i < order->npatterns; i++)
		p = selection_next(order, p, &to[i]);
}

/* Sets control.units, which units test before they search for sessions. */
static void
tell_units(const struct tbuf_view *view, unsigned number,
    const struct tbuf_area *layout)
{
	struct tbuf_control *control = tbuf_view_control(view);
	uint32_t bit = UINT32_C(1) << number, others;

	others = tbuf_load(&control->units) & ~bit;
	tbuf_store(&control->units, others | (layout->units == 0 ? 0 : bit));
}

int
tbuf_session_build(const struct tbuf_view *view, unsigned number,
    uint64_t area, uint64_t generation, const struct tbuf_order *order,
    const struct tbuf_area *layout)
{
	struct tbuf_slot *slot = tbuf_view_slot(view, number);
	struct tbuf_session *session;

	/* No field is read back: another process may have changed it. */
	if (view->size < layout->data || area > view->size - layout->data ||
	    (area + layout->data) / 64 > UINT32_MAX)
		return (-ENOSPC);
	session = (struct tbuf_session *)(void *)(view->base + area);
	memset(session, 0, sizeof(*session));
	session->generation = generation;
	session->patterns = area + layout->patterns;
	session->patterns_size = order->patterns_size;
	session->npatterns = order->npatterns;
	memcpy(view->base + area + layout->patterns, order->patterns,
	    order->patterns_size);
	if (layout->selections != 0)
		session->selections = area + layout->selections;
	if (layout->mappings != 0)
		session->mappings = part(area + layout->mappings,
		    layout->mappings_size);
	build_selections(view, area, order, layout);
	if (layout->counters != 0)
		memset(view->base + area + layout->counters, 0,
		    layout->nmain * sizeof(struct tbuf_lane_counters));
	build_globals(view, area, order, layout);
	build_slot(slot, area, generation, order, layout);
	tell_units(view, number, layout);
	build_cpus(slot, area, order, layout);
	tbuf_lanes_make((struct tbuf_lane *)(void *)(view->base + area +
	    layout->lanes), area, order, layout);
	/* The generation comes last: it makes this a session. */
	tbuf_store_release(&slot->generation, generation);
	return (0);
}
