/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs the clauses of a probe's chain, one after the other.
 */
#include <errno.h>

#include "target/clause/clause.h"
#include "target/clause/plan.h"
#include "target/lane/inflight.h"
#include "target/lane/lane.h"
#include "target/lane/pack.h"
#include "target/lane/unit_hooks.h"
#include "target/self/thread.h"

/* The deadline is checked this often, since a predicate may never hold. */
#define LOOK_EVERY	256

static const struct tbuf_surroundings surroundings = {
	.builtin = tbuf_run_builtin,
	.object = tbuf_run_object,
	.write = tbuf_run_write,
	.load = tbuf_run_load,
	.store = tbuf_run_store,
	.refer = tbuf_run_refer,
	.store_text = tbuf_run_store_text,
	.store_bytes = tbuf_run_store_bytes,
	.copyin = tbuf_run_copyin,
	.copyout = tbuf_run_copyout,
	.stack = tbuf_run_stack_raw,
	.room = tbuf_run_room,
	.emit = tbuf_run_emit,
	.update = tbuf_run_update,
	.exit = tbuf_run_exit,
	.snapshot = tbuf_run_snapshot,
	.speculation = tbuf_run_speculation,
	.speculate = tbuf_run_speculate,
	.commit = tbuf_run_commit,
	.discard = tbuf_run_discard,
	.resume = tbuf_run_resume,
	.call = tbuf_run_call
};

/* ------------------------------------------------------------ arguments */

/* Bytes of an argument of fixed size, negative if it has a sign to extend. */
static const int8_t sizes[TBUF_STRING_INTERNED + 1] = {
	[TBUF_INT8] = -1, [TBUF_INT16] = -2, [TBUF_INT32] = -4,
	[TBUF_INT64] = 8, [TBUF_UINT8] = 1, [TBUF_UINT16] = 2,
	[TBUF_UINT32] = 4, [TBUF_UINT64] = 8,
	[TBUF_CHAR] = (char)-1 < 0 ? -1 : 1, [TBUF_BOOL] = 1,
	[TBUF_FLOAT] = 4, [TBUF_DOUBLE] = 8, [TBUF_POINTER] = 8,
	[TBUF_STRING_INTERNED] = 4
};

/* Types of 64 bits, a bit each. */
#define WIDE	(1u << TBUF_INT64 | 1u << TBUF_UINT64 | 1u << TBUF_DOUBLE | \
	1u << TBUF_POINTER)

/* Returns true if a site's words are its arguments. */
static bool
is_flat(const struct tbuf_site *site)
{
	unsigned i, wide = WIDE;

	for (i = 0; i < site->nargs; i++)
		wide &= -(WIDE >> site->types[i] & 1);
	return (wide != 0);
}

/* Unpacks arguments of fixed size from the words that they were packed into. */
static void
unpack(const struct tbuf_site *site, const uint64_t *words,
    uint64_t values[TBUF_NARGS])
{
	unsigned i, at = 0, size, shift;
	uint64_t value;

	for (i = 0; i < site->nargs; i++) {
		size = (unsigned)(sizes[site->types[i]] < 0 ?
		    -sizes[site->types[i]] : sizes[site->types[i]]);
		at = (at + size - 1) & -size;
		shift = 64 - 8 * size;
		value = words[at / 8] >> 8 * (at % 8) << shift;
		values[i] = sizes[site->types[i]] < 0 ?
		    (uint64_t)((int64_t)value >> shift) : value >> shift;
		at += size;
	}
}

/* Writes a default record, of an ECB without a program. */
static enum tbuf_emit
emit_packed(const struct tbuf_run *run, struct tbuf_pack *pack)
{
	struct tbuf_fire f = *run->fire;

	tbuf_pack(run->site, run->machine.values,
	    tbuf_fire_strsize(f.slot), pack);
	f.words = pack->words;
	f.size = pack->size;
	f.segments = pack->segments;
	f.end = pack->end;
	return (tbuf_record_emit(&f));
}

/* Writes a default record for a fire without a pack. */
static __attribute__((noinline)) enum tbuf_emit
emit_texts(const struct tbuf_run *run)
{
	struct tbuf_pack pack;

	return (emit_packed(run, &pack));
}

/* Writes a default record.  Out of line, to need little stack for clauses. */
static __attribute__((noinline)) enum tbuf_emit
emit_default(const struct tbuf_run *run, bool packed)
{
	if (packed)
		return (tbuf_record_emit(run->fire));
	return (run->pack != NULL ? emit_packed(run, run->pack) :
	    emit_texts(run));
}

/* ------------------------------------------------------------ a clause */

/* Copies the ECB's clause. */
static bool
clause_find(const struct tbuf_run *run, struct tbuf_clause *clause)
{
	const struct tbuf_slot *slot = run->fire->slot;
	uint64_t at = tbuf_load(&slot->clauses);
	const struct tbuf_clause *from;

	if (run->fire->epid >= tbuf_load(&slot->ecb_max) || at == 0)
		return (false);
	from = tbuf_run_bytes(run, at + run->fire->epid * sizeof(*from),
	    sizeof(*from));
	if (from == NULL)
		return (false);
	clause->program = tbuf_load(&from->program);
	clause->binding = tbuf_load(&from->binding);
	return (true);
}

/* Finds a program within the session's programs, and its flags. */
static bool
program_find(struct tbuf_run *run, uint32_t program, uint32_t *flags)
{
	const struct tbuf_part *part = &run->fire->slot->programs;
	struct tbuf_machine *m = &run->machine;
	const struct tbuf_program_head *head;
	uint64_t at = UINT64_C(8) * program, size;

	head = tbuf_run_part(run, part, at, sizeof(*head));
	if (head == NULL)
		return (false);
	*flags = tbuf_load(&head->flags);
	m->length = tbuf_load(&head->length);
	m->constants_size = tbuf_load(&head->constants_size);
	if (m->length > TBUF_TARGET_WORDS)
		m->length = TBUF_TARGET_WORDS;
	size = m->length * sizeof(*m->code);
	at += sizeof(*head);
	if (tbuf_run_part(run, part, at, size + m->constants_size) == NULL)
		return (false);
	m->code = (const uint64_t *)(const void *)(head + 1);
	m->constants = (const uint8_t *)(m->code + m->length);
	return (true);
}

static void
lend(struct tbuf_buffer *buffer, void *bytes, uint32_t room)
{
	buffer->bytes = bytes;
	buffer->room = room;
	buffer->used = 0;
}

/*
 * Lends words after `before` bytes, the room for a header of an entry or a
 * record.
 */
static void
lend_behind(struct tbuf_buffer *buffer, uint64_t *words, uint32_t size,
    uint32_t before)
{
	lend(buffer, (unsigned char *)words + before, size - before);
}

/*
 * Lends a workspace for the rest of the chain.  Returns false if all are in
 * use.
 */
static bool
workspace_lend(struct tbuf_run *run)
{
	struct tbuf_machine *m = &run->machine;
	struct tbuf_workspace *w;

	if (run->workspace != NULL)
		return (true);
	if ((w = run->workspace = tbuf_workspace_take()) == NULL)
		return (false);
	lend_behind(&m->record, w->record, sizeof(w->record), TBUF_RUN_HEADER);
	lend(&m->temporary, w->temporary, sizeof(w->temporary));
	lend(&m->scratch, w->scratch, sizeof(w->scratch));
	lend(&m->token, w->token, sizeof(w->token));
	lend_behind(&m->key, w->key, sizeof(w->key), TBUF_RUN_KEY_ENTRY);
	return (true);
}

/* Prepares for a program that is more than a predicate. */
static void
run_begin(struct tbuf_run *run)
{
	struct tbuf_machine *m = &run->machine;

	run->begun = true;
	run->locals_ready = false;
	m->surroundings = &surroundings;
	m->strsize = tbuf_fire_strsize(run->fire->slot);
	m->token_at = TBUF_TOKEN_NONE;
	lend_behind(&m->record, run->small_record, sizeof(run->small_record),
	    TBUF_RUN_HEADER);
	/* These are empty, at some valid address. */
	lend(&m->temporary, run->small_record, 0);
	lend(&m->scratch, run->small_record, 0);
	lend_behind(&m->key, run->small_key, sizeof(run->small_key),
	    TBUF_RUN_KEY_ENTRY);
	lend(&m->token, run->small_record, 0);
}

/* Runs the machine.  Returns TBUF_EMIT_RETRY if the session has ended. */
static enum tbuf_emit
program_run(struct tbuf_run *run, uint32_t flags)
{
	struct tbuf_machine *m = &run->machine;

	if (!run->begun)
		run_begin(run);
	/* inv.account: a clause that finds no memory is a drop. */
	if ((flags & TBUF_PROGRAM_MEMORY) != 0 && !workspace_lend(run))
		return (tbuf_lock_busy(run->fire));
	run->calls = (flags & TBUF_PROGRAM_CALLS) != 0;
	run->vtimestamp = 0;
	run->speculation = 0;
	run->snapshots = 0;
	m->scratch.used = 0;
	m->fuel = TBUF_FUEL;
	if (tbuf_machine_run(m) == TBUF_END_FAULT)
		tbuf_run_fault(run);
	/* The program's own record is in the snapshot, so it comes first. */
	if (run->snapshots != 0 && !run->gone)
		tbuf_add(&run->fire->slot->snapshots, run->snapshots);
	return (run->gone ? TBUF_EMIT_RETRY : TBUF_EMIT_DONE);
}

/* Runs a clause from an instruction on; those before it have been done. */
static enum tbuf_emit
clause_run(struct tbuf_run *run, uint32_t from, bool packed)
{
	struct tbuf_machine *m = &run->machine;
	struct tbuf_clause clause;
	uint32_t flags;

	if (!clause_find(run, &clause))
		return (TBUF_EMIT_DONE);
	if (clause.program == 0)
		return (emit_default(run, packed));
	if (!program_find(run, clause.program, &flags) || from > m->length)
		return (TBUF_EMIT_DONE);
	m->binding = clause.binding;
	if (from == 0) {
		tbuf_plan_cache(run, flags, packed);
		if (tbuf_machine_idle(m))
			return (TBUF_EMIT_DONE);
	}
	m->code += from;
	m->length -= from;
	return (program_run(run, flags));
}

/* ------------------------------------------------------------ the chain */

/* Runs at most `most` clauses, the first from an instruction on. */
static enum tbuf_emit
chain_run(struct tbuf_run *run, uint32_t from, unsigned most, bool packed)
{
	struct tbuf_fire *f = run->fire;
	unsigned n;

	for (n = 0; f->epid != 0 && n < most; n++) {
		if (clause_run(run, from, packed) == TBUF_EMIT_RETRY)
			return (n == 0 ? TBUF_EMIT_RETRY : TBUF_EMIT_DONE);
		/* After exit() the session has no more fires. */
		if (run->exit != 0) {
			tbuf_fire_leave(f, run->exit);
			break;
		}
		run->timestamp = 0;
		from = 0;
		f->epid = tbuf_fire_next(f);
	}
	return (TBUF_EMIT_DONE);
}

/* Returns the arguments, as the site has them. */
static const uint64_t *
arguments(struct tbuf_run *run, const uint64_t *values)
{
	const uint64_t *words;

	if (values != NULL)
		return (values);
	words = run->fire->segments[1].data;
	if (is_flat(run->site))
		return (words);
	unpack(run->site, words, run->values);
	return (run->values);
}

static inline void
run_make(struct tbuf_run *run, struct tbuf_fire *f,
    const struct tbuf_site *site, struct tbuf_pack *pack)
{
	run->fire = f;
	run->site = site;
	run->pack = pack;
	run->chain = (uint64_t)(uintptr_t)tbuf_clause_chain;
	run->workspace = NULL;
	run->exit = run->signals = run->timestamp = 0;
	run->begun = run->gone = false;
	run->memo.generation = 0;
	run->places = NULL;
	run->known_id = UINT32_MAX;
	run->last.element.pair = NULL;
	run->shares = false;
	run->machine.nargs = site->nargs;
	run->machine.types = site->types;
	f->memo = &run->memo;
}

/* The mark is still set: a forked child forgets which workspaces are in use. */
static inline void
run_leave(const struct tbuf_run *run)
{
	if (run->workspace != NULL)
		tbuf_workspace_give(run->workspace);
}

static inline void
run_end(const struct tbuf_run *run, volatile uint64_t *mark, uint32_t held)
{
	run_leave(run);
	tbuf_hold_end(mark, held);
}

static inline void
run_raise(const struct tbuf_run *run)
{
	if (run->signals != 0)
		tbuf_signals_raise(run->signals);
}

/*
 * The fire is held (inflight.h): a child that a handler forks meanwhile must
 * not become a target.
 */
__attribute__((noinline)) enum tbuf_emit
tbuf_clause_chain(struct tbuf_fire *f, const struct tbuf_site *site,
    const uint64_t *values, struct tbuf_pack *pack)
{
	volatile uint64_t mark[TBUF_STACK_MARK_WORDS];
	struct tbuf_run run;
	enum tbuf_emit emit;
	uint32_t held;

	if (tbuf_thread.deadline_ticks++ % LOOK_EVERY == 0 &&
	    tbuf_fire_deadline(f))
		return (TBUF_EMIT_DONE);
	/* -x cpu: on other CPUs nothing is done at all. */
	if (tbuf_load(&f->slot->terms.only_cpu) >= 0 &&
	    !tbuf_fire_wanted(f, tbuf_current_cpu()))
		return (TBUF_EMIT_DONE);
	run_make(&run, f, site, pack);
	run.frame = __builtin_frame_address(0);
	run.machine.values = arguments(&run, values);
	held = tbuf_hold_begin(mark);
	emit = tbuf_load(&tbuf_local->base) != f->base ? TBUF_EMIT_DONE :
	    chain_run(&run, 0, TBUF_CHAIN_MAX, values == NULL);
	run_end(&run, mark, held);
	run_raise(&run);
	return (emit);
}

static inline void
machine_make(struct tbuf_run *run, const struct tbuf_plan_program *p,
    const uint64_t *words)
{
	struct tbuf_machine *m = &run->machine;

	m->code = p->code;
	m->constants = p->constants;
	m->length = p->length;
	m->constants_size = p->constants_size;
	m->binding = p->binding;
	m->values = words;
	if (p->flat)
		return;
	unpack(run->site, words, run->values);
	m->values = run->values;
}

/* Makes the fire in the session of this slot; it has no record. */
static void
fire_make(struct tbuf_fire *f, const struct tbuf_site *site, uint64_t base,
    unsigned number, uint64_t generation, uint32_t epid)
{
	f->base = base;
	f->slot = (struct tbuf_slot *)(uintptr_t)(base + TBUF_SLOTS +
	    number * (uint64_t)TBUF_SLOT_SIZE);
	f->generation = generation;
	f->bits = UINT64_C(1) << number | TBUF_MEMO_CLAUSES;
	f->number = number;
	f->index = site->index;
	f->epid = epid;
}

/*
 * Runs a plan's program.  Returns false at each 256th fire: the slow path
 * checks the deadline.
 */
static __attribute__((noinline)) bool
machine_run(const struct tbuf_site *site, const struct tbuf_plan_fire *fire,
    const struct tbuf_plan_program *p, unsigned number, uint64_t generation)
{
	volatile uint64_t mark[TBUF_STACK_MARK_WORDS];
	struct tbuf_run run;
	struct tbuf_fire f;
	uint32_t held;

	if (tbuf_thread.deadline_ticks % LOOK_EVERY == 0)
		return (false);
	tbuf_thread.deadline_ticks++;
	fire_make(&f, site, fire->base, number, generation, p->epid);
	run_make(&run, &f, site, NULL);
	run.frame = __builtin_frame_address(0);
	run.places = &p->places;
	machine_make(&run, p, fire->words);
	held = tbuf_hold_begin(mark);
	if (tbuf_load(&tbuf_local->base) != f.base)
		run.gone = true;
	else {
		(void)program_run(&run, p->flags);
		if (run.exit != 0)
			tbuf_fire_leave(&f, run.exit);
	}
	run_end(&run, mark, held);
	run_raise(&run);
	return (!run.gone);
}

TBUF_CALLS_POINTER void
tbuf_plan_machine(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size, uint64_t version, const struct tbuf_plan *p)
{
	const unsigned number = tbuf_plan_session(version);
	const struct tbuf_plan_fire fire = {
		.words = words, .size = size, .version = version,
		.base = tbuf_load(&tbuf_local->base)
	};
	struct tbuf_plan_program program = p->program;
	uint64_t generation = p->generation;

	if (fire.base == 0 || !tbuf_plan_unchanged(p, version) ||
	    program.code == NULL ||
	    !machine_run(site, &fire, &program, number, generation))
		tbuf_plan_slow(site, words, size, number);
}

/* Stores the this-> variables that steps have made. */
static void
locals_store(struct tbuf_run *run, const struct tbuf_steps_done *done,
    const struct tbuf_plan_fire *fire)
{
	uint64_t value;
	uint32_t i;

	if (done->nlocals == 0)
		return;
	run_begin(run);
	for (i = 0; i < done->nlocals && i < TBUF_PLAN_LOCALS; i++)
		if (tbuf_number_value(&done->locals[i].number, fire, &value))
			(void)tbuf_run_store(&run->machine, TBUF_SCOPE_CLAUSE,
			    done->locals[i].id, value);
}

/*
 * The caller holds the fire already, and raises its signals: a second mark
 * would leave less room for those of handlers' fires.  State that the clauses
 * of a fire share is lost when this returns.
 */
__attribute__((noinline, cold)) bool
tbuf_clause_some(struct tbuf_steps *s, uint32_t epid,
    const struct tbuf_steps_done *done, const struct tbuf_plan_fire *fire,
    bool apart)
{
	struct tbuf_segment segments[2] = {
		{ NULL, 0 }, { s->words, s->size }
	};
	enum tbuf_emit emit;
	struct tbuf_run run;
	struct tbuf_fire f;

	fire_make(&f, s->site, s->base, s->number, s->generation, epid);
	if (tbuf_thread.deadline_ticks % LOOK_EVERY == 0 &&
	    tbuf_fire_deadline(&f))
		return (false);
	f.words = true;
	f.size = s->size;
	f.segments = segments;
	f.end = segments + 2;
	run_make(&run, &f, s->site, NULL);
	run.frame = __builtin_frame_address(0);
	run.machine.values = arguments(&run, s->packed ? NULL : s->words);
	run.timestamp = fire->ticks;
	locals_store(&run, done, fire);
	emit = chain_run(&run, done->from, apart ? 1 : TBUF_CHAIN_MAX,
	    s->packed);
	run_leave(&run);
	s->signals |= run.signals;
	return (apart && emit == TBUF_EMIT_DONE && run.exit == 0 && !run.gone);
}

/* The caller holds the fire already. */
__attribute__((noinline, cold)) void
tbuf_clause_store(const struct tbuf_site *site,
    const struct tbuf_plan_fire *fire, unsigned number, uint64_t generation,
    uint32_t id, uint64_t value)
{
	struct tbuf_run run;
	struct tbuf_fire f;

	fire_make(&f, site, fire->base, number, generation, 0);
	run_make(&run, &f, site, NULL);
	(void)tbuf_run_store(&run.machine, TBUF_SCOPE_THREAD, id, value);
}

__attribute__((noinline, cold)) void
tbuf_clause_finish(const struct tbuf_site *site,
    const struct tbuf_plan_fire *fire, unsigned number, uint64_t generation,
    const struct tbuf_access *begun)
{
	struct tbuf_run run;
	struct tbuf_fire f;

	fire_make(&f, site, fire->base, number, generation, 0);
	run_make(&run, &f, site, NULL);
	tbuf_array_finish(&run, begun);
}
