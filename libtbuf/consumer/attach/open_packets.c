/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Opens a recording: its head and its packets become a control file in memory,
 * which is checked and read as any other one:
 *
 *	| head | lanes | storage of a lane | storage of another lane | ..
 *
 * The packets of a lane are its records.  Each stream of units or batches gets
 * a lock lane of its own, with an envelope for each unit.
 */
#include <sys/param.h>
#include <sys/stat.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumer/attach/attach.h"
#include "consumer/files/files.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"
#include "consumer/util/clock_sync.h"
#include "shared/session_build.h"

#define NONE	UINT32_MAX

/*
 * Most damaged bytes at one place, and in all: those that a recording has beyond
 * them, which no lane has, are counted without a place.
 */
#define DAMAGE_MOST	(UINT64_C(1) << 30)
#define DAMAGES_MOST	(UINT64_C(4) << 30)

/* Most damaged bytes without a place: sums of all lanes are numbers, too. */
#define UNPLACED_MOST	(UINT64_C(1) << 48)

/* Where a lane's losses are. */
struct placed {
	uint64_t after, before;		/* stamps around all drops, or 0 */
	unsigned awaits;		/* packets with all drops up to
					   `before' */
	bool drops;
	uint64_t unplaced;		/* damaged bytes */
	uint32_t first_gap, ngaps;	/* of those of all lanes */
};

struct rebuilt {
	int fd;
	uint64_t end;			/* of the file so far */
	uint64_t bytes;			/* of records so far */
	uint64_t damage;		/* with a place, so far */
	struct tbuf_control control;
	unsigned number;		/* of the slot */
	struct tbuf_slot slot;
	struct tbuf_timeline time;
	struct tbuf_lane lanes[TBUF_NLANES];
	uint32_t nlanes;
	uint32_t first_extra;		/* lanes of the head are before it */
	uint32_t at;			/* the lane that is written, or NONE */
	enum tbuf_packet_kind kind;	/* of its packets */
	unsigned lane;
	uint64_t nolane[TBUF_NLOCKS];
	struct tbuf_unit_kind kinds[TBUF_UNIT_KINDS];
	bool overwritten;		/* a lane has overwritten records */
	struct placed placed[TBUF_NLANES];
	uint64_t counted;		/* the lane's last stamp when all drops
					   were known; 0: none */
	struct tbuf_recorded_gap *gaps;	/* of each lane, one after the other */
	uint32_t ngaps;
	uint32_t tables;		/* in use: units without envelopes */
	struct tbuf_unit_entry losses;	/* of all units */
};

static int
put(const struct rebuilt *b, const void *bytes, size_t size, uint64_t at)
{
	return (pwrite(b->fd, bytes, size, (off_t)at) == (ssize_t)size ? 0 :
	    -ENOMEM);
}

static bool
get(const struct rebuilt *b, void *bytes, size_t size, uint64_t at)
{
	return (at <= INT64_MAX - size &&
	    pread(b->fd, bytes, size, (off_t)at) == (ssize_t)size);
}

/* ------------------------------------------------------------ the head */

static int
read_slot(struct rebuilt *b)
{
	struct tbuf_session session;
	uint32_t i;

	for (b->number = 0; b->number < TBUF_NSESSIONS; b->number++)
		if (tbuf_state_readable(b->control.state[b->number]))
			break;
	if (b->number == TBUF_NSESSIONS)
		return (-ENODATA);
	if (!get(b, &b->slot, sizeof(b->slot), TBUF_SLOTS +
	    b->number * sizeof(b->slot)) ||
	    b->slot.nlanes == 0 || b->slot.nlanes > TBUF_NLANES ||
	    b->slot.area >= b->end ||
	    !get(b, b->lanes, b->slot.nlanes * sizeof(b->lanes[0]),
	    b->slot.lanes) ||
	    !get(b, &session, sizeof(session), b->slot.area))
		return (-EINVAL);
	for (i = 0; i < b->slot.nlanes; i++)
		b->lanes[i] = (struct tbuf_lane){
			.cpu = b->lanes[i].cpu, .kind = b->lanes[i].kind
		};
	b->nlanes = b->first_extra = b->slot.nlanes;
	b->time.clock = (enum tbuf_clock)b->control.clock;
	b->time.base = b->control.birth;
	tbuf_timeline_update(&b->time, &session.now);
	return (0);
}

/* Copies the head, which has to be a file with a session. */
static int
read_head(struct rebuilt *b, int head)
{
	struct stat st;
	int error;

	if (fstat(head, &st) != 0)
		return (-errno);
	if (!S_ISREG(st.st_mode) ||
	    (uint64_t)st.st_size > TBUF_FILE_MAX)
		return (-EINVAL);
	b->end = (uint64_t)st.st_size;
	if ((b->fd = tbuf_memfd_copy(head, b->end, b->end)) < 0)
		return (b->fd);
	if (!get(b, &b->control, sizeof(b->control), 0))
		return (-EINVAL);
	if ((error = tbuf_control_check(&b->control, b->end)) != 0)
		return (error);
	if ((error = read_slot(b)) != 0)
		return (error);
	if (b->slot.units.at != 0 && !get(b, b->kinds, sizeof(b->kinds),
	    b->slot.units.at + offsetof(struct tbuf_units, kinds)))
		return (-EINVAL);
	b->slot.lanes = roundup(b->end, TBUF_PAGE);
	b->end = b->slot.lanes + sizeof(b->lanes);
	return (0);
}

/* ------------------------------------------------------------ lanes */

/* Ends the lane: its storage is a power of two. */
static void
end_lane(struct rebuilt *b)
{
	uint64_t storage = 64;
	struct tbuf_lane *lane;

	if (b->at == NONE)
		return;
	lane = &b->lanes[b->at];
	while (storage < lane->head)
		storage *= 2;
	lane->place = tbuf_place(b->end, storage);
	lane->size = storage;
	b->end += storage;
	b->at = NONE;
}

/* Begins the lane of a packet: its own, or a further one. */
static int
begin_lane(struct rebuilt *b, const struct tbuf_packet *p)
{
	struct tbuf_lane *lane;
	bool locked = p->kind != TBUF_PACKET_CPU &&
	    p->kind != TBUF_PACKET_THREAD;

	if (b->at != NONE && b->kind == p->kind && b->lane == p->lane)
		return (0);
	end_lane(b);
	b->kind = p->kind;
	b->lane = p->lane;
	b->counted = 0;
	b->at = p->lane;
	if (p->kind >= TBUF_PACKET_UNIT || p->lane >= b->first_extra ||
	    b->lanes[p->lane].place != 0) {
		if (b->nlanes == TBUF_NLANES)
			return (-E2BIG);
		b->at = b->nlanes++;
	}
	lane = &b->lanes[b->at];
	lane->cpu = p->kind >= TBUF_PACKET_UNIT ? UINT32_MAX :
	    (uint32_t)p->cpu;
	lane->kind = locked ? TBUF_KIND_LOCK : p->kind == TBUF_PACKET_CPU ?
	    TBUF_KIND_CPU : TBUF_KIND_THREAD;
	return (0);
}

/* Appends bytes to the lane. */
static int
append(struct rebuilt *b, const void *bytes, size_t size)
{
	struct tbuf_lane *lane = &b->lanes[b->at];

	if (size > TBUF_MEMFD_BYTES - b->bytes)
		return (-EFBIG);
	b->bytes += size;
	if (put(b, bytes, size, b->end + lane->head) != 0)
		return (-ENOMEM);
	lane->head += size;
	return (0);
}

static void
add_unplaced(struct placed *placed, uint64_t bytes)
{
	placed->unplaced += MIN(bytes, UNPLACED_MOST - placed->unplaced);
}

/*
 * Leaves out as many bytes as were damaged before a packet's records: they are
 * skipped again, and reported at this place.  An invalid record, if it may be
 * that long, says where the next one is.
 */
static int
add_damage(struct rebuilt *b, const struct tbuf_packet *p)
{
	struct tbuf_lane *lane = &b->lanes[b->at];
	uint64_t size = p->unplaced ? 0 : MIN(MIN(p->damage, DAMAGE_MOST),
	    DAMAGES_MOST - b->damage) & ~UINT64_C(7);
	const struct tbuf_header invalid = {
		.time = p->begin, .size = (uint16_t)size
	};
	uint64_t at = b->end + lane->head;

	add_unplaced(&b->placed[b->at], p->damage - size);
	b->damage += size;
	lane->head += size;
	return (size < sizeof(struct tbuf_lock_record) ||
	    size > TBUF_RECORD_MAX ? 0 :
	    put(b, &invalid, sizeof(invalid), at));
}

static void
add_losses(struct rebuilt *b, const struct tbuf_packet *p)
{
	struct tbuf_lane *lane = &b->lanes[b->at];
	uint32_t lock = b->at - b->slot.first_lock;

	lane->full += p->drops[TBUF_CAUSE_FULL];
	lane->large += p->drops[TBUF_CAUSE_LARGE];
	lane->pair[0].overwritten += p->overwritten;
	b->overwritten |= p->overwritten != 0;
	b->nolane[b->at >= b->first_extra || lock >= TBUF_NLOCKS ? 0 : lock] +=
	    p->drops[TBUF_CAUSE_NOLANE];
}

/* ------------------------------------------------------------ units */

static uint32_t
find_kind(const struct rebuilt *b, const char *name)
{
	uint32_t i;

	for (i = 0; i < TBUF_UNIT_KINDS - 1; i++)
		if (strncmp(b->kinds[i].name, name, TBUF_UNIT_NAME) == 0)
			break;
	return (i);
}

/* Returns the first stamp that is not before a time. */
static uint64_t
stamp(const struct rebuilt *b, uint64_t mono)
{
	const struct tbuf_moment *base = &b->time.base;
	uint64_t at = mono;
	int i;

	if (b->time.clock != TBUF_CLOCK_COUNTER)
		return (mono);
	at = mono < base->mono ? base->ticks -
	    tbuf_timeline_ticks(&b->time, base->mono - mono) : base->ticks +
	    tbuf_timeline_ticks(&b->time, mono - base->mono);
	for (i = 0; i < 8 && tbuf_timeline_mono(&b->time, at) < mono; i++)
		at++;
	return (at);
}

/* Returns the number of a packet's records. */
static uint64_t
records_of(const struct tbuf_packet *p)
{
	struct tbuf_header header;
	const char *data = p->data;
	uint64_t n = 0;
	size_t at;

	for (at = 0; p->size - at >= sizeof(header); at += header.size, n++) {
		memcpy(&header, data + at, sizeof(header));
		if (header.size < sizeof(header) ||
		    header.size > p->size - at)
			break;
	}
	return (n);
}

/* Writes a unit into a table of its own; false: there is none for it. */
static int
add_table(struct rebuilt *b, const struct tbuf_packet *p, uint64_t instance)
{
	const struct tbuf_unit_info *unit = p->unit;
	uint64_t size, at;
	uint32_t n = tbuf_terms_units(&b->slot.terms, &size);
	struct tbuf_unit_entry e = { .count = 0 };
	int error;

	if (b->tables >= n || p->size > size ||
	    b->slot.units.at > b->slot.lanes)
		return (-E2BIG);
	at = b->slot.units.at + sizeof(struct tbuf_units);
	e.word = tbuf_unit_word(b->slot.generation, instance,
	    unit->ended ? TBUF_UNIT_DONE : TBUF_UNIT_BOUND);
	e.head = tbuf_unit_head(0, records_of(p), p->size);
	e.began = stamp(b, unit->began);
	e.id = unit->id;
	e.kind = find_kind(b, unit->kind);
	e.hung = unit->ended ? 0 : unit->hung;
	error = put(b, &e, sizeof(e), at + b->tables * sizeof(e));
	if (error == 0)
		error = put(b, p->data, p->size, b->slot.units.at +
		    tbuf_units_tables(n) + b->tables * size);
	b->tables++;
	return (error);
}

/* The record of a unit in a lock lane, without the records of an envelope. */
struct unit_record {
	struct tbuf_lock_record record;
	struct tbuf_unit_record unit;
};

static int
add_unit(struct rebuilt *b, const struct tbuf_packet *p)
{
	const struct tbuf_unit_info *unit = p->unit;
	struct unit_record r = { .record.cpu = UINT32_MAX };
	size_t size = sizeof(r);
	int error = 0;

	r.record.header.epid = TBUF_EPID_UNIT;
	r.unit.instance = 1 + b->tables;
	if (!unit->ended || p->size > TBUF_RECORD_MAX - sizeof(r) - 8) {
		r.unit.table = b->tables | TBUF_UNIT_TABLE_LEVEL;
		error = add_table(b, p, r.unit.instance);
		if (error != 0 || !unit->ended)
			return (error);
	} else {
		r.record.header.epid = TBUF_EPID_ENVELOPE;
		size += p->size;
	}
	r.record.header.time = stamp(b, unit->end);
	r.record.header.size = (uint16_t)size;
	r.unit.kind = find_kind(b, unit->kind);
	r.unit.id = unit->id;
	r.unit.began = stamp(b, unit->began);
	r.unit.outcome = unit->outcome;
	r.unit.mask = UINT32_MAX;
	r.unit.discarded = (uint32_t)unit->discarded;
	error = append(b, &r, sizeof(r));
	return (error != 0 || size == sizeof(r) ? error :
	    append(b, p->data, p->size));
}

/* Begins a gap of the lane after its last stamp, unless one has no end yet. */
static int
begin_gap(struct rebuilt *b, struct placed *placed)
{
	struct tbuf_recorded_gap *gaps = b->gaps;
	uint32_t n = b->ngaps;

	if (placed->ngaps > 0 && gaps[n - 1].before == 0)
		return (0);
	if ((n & (n + 1)) == 0 && (gaps = realloc(gaps,
	    (2 * (size_t)n + 2) * sizeof(*gaps))) == NULL)
		return (-ENOMEM);
	b->gaps = gaps;
	gaps[n] = (struct tbuf_recorded_gap){ .after = b->counted };
	if (placed->ngaps++ == 0)
		placed->first_gap = n;
	b->ngaps++;
	return (0);
}

static void
add_drops(struct tbuf_recorded_gap *gap, const struct tbuf_packet *p)
{
	gap->drops[0] += p->drops[TBUF_CAUSE_FULL];
	gap->drops[1] += p->drops[TBUF_CAUSE_LARGE];
}

/*
 * Notes between which records drops are: after those of the last packet that
 * had all drops then, and before those that follow the next such packet, since
 * a drop may come after its lane's head was read.
 */
static int
place_losses(struct rebuilt *b, const struct tbuf_packet *p)
{
	struct placed *placed = &b->placed[b->at];
	int error = 0;

	if (placed->drops && placed->awaits == 0 && placed->before == 0 &&
	    p->size != 0)
		placed->before = b->gaps[b->ngaps - 1].before = p->begin;
	if (p->counted && placed->awaits > 0)
		placed->awaits--;
	if ((p->drops[TBUF_CAUSE_FULL] | p->drops[TBUF_CAUSE_LARGE]) != 0) {
		if (!placed->drops)
			placed->after = b->counted;
		if ((error = begin_gap(b, placed)) == 0)
			add_drops(&b->gaps[b->ngaps - 1], p);
		placed->drops = true;
		placed->before = 0;
		placed->awaits = 1;
	}
	if (p->counted && p->size != 0)
		b->counted = p->end;
	return (error);
}

static int
add_packet(struct rebuilt *b, const struct tbuf_packet *p)
{
	int error;

	if (p->kind == TBUF_PACKET_UNIT && p->lane == NONE) {
		b->losses.full += p->drops[TBUF_CAUSE_FULL];
		b->losses.half[1].overwritten += p->overwritten;
		b->losses.total[0].discarded += p->discarded;
		add_unplaced(&b->placed[0], p->damage);
		return (0);
	}
	if ((error = begin_lane(b, p)) != 0)
		return (error);
	add_losses(b, p);
	if ((error = place_losses(b, p)) != 0 ||
	    (error = add_damage(b, p)) != 0)
		return (error);
	if (p->kind == TBUF_PACKET_UNIT && p->unit != NULL)
		return (b->slot.units.at == 0 ? -EINVAL : add_unit(b, p));
	return (append(b, p->data, p->size));
}

/* ------------------------------------------------------------ the end */

/* Frees all tables, which had other units; the first one has all losses. */
static int
reset_units(const struct rebuilt *b)
{
	struct tbuf_unit_entry none = { .word = 0 };
	uint64_t size, at = b->slot.units.at;
	uint32_t n = tbuf_terms_units(&b->slot.terms, &size), i;
	struct tbuf_units units;
	int error;

	if (at == 0)
		return (0);
	if (at > b->slot.lanes || n > (b->slot.lanes - at) / sizeof(none) ||
	    !get(b, &units, sizeof(units), at))
		return (-EINVAL);
	units.without = units.returned = 0;
	error = put(b, &units, sizeof(units), at);
	for (i = 0; i < n && error == 0; i++)
		error = put(b, &none, sizeof(none), at + sizeof(units) +
		    i * sizeof(none));
	return (error);
}

/* Adds the losses of all units to the first table's. */
static int
put_losses(const struct rebuilt *b)
{
	uint64_t at = b->slot.units.at + sizeof(struct tbuf_units);
	struct tbuf_unit_entry e;

	if (b->slot.units.at == 0)
		return (0);
	if (!get(b, &e, sizeof(e), at))
		return (-EINVAL);
	e.full = b->losses.full;
	e.half[1] = b->losses.half[1];
	e.total[0] = e.total[1] = b->losses.total[0];
	return (put(b, &e, sizeof(e), at));
}

/* Writes all words.  Lanes without packets get the least storage. */
static int
finish(struct rebuilt *b)
{
	struct tbuf_slot *slot = &b->slot;
	uint32_t i;

	end_lane(b);
	for (b->at = 0; b->at < b->nlanes; b->at++)
		if (b->lanes[b->at].place == 0) {
			i = b->at;
			end_lane(b);
			b->at = i;
		}
	for (i = 0; i < TBUF_NLOCKS; i++)
		slot->locks[i].nolane[TBUF_LOST_RECORD] =
		    tbuf_nolane_tag(slot->generation) | MIN(b->nolane[i],
		    TBUF_NOLANE_COUNT);
	slot->area_size = b->end - slot->area;
	slot->nlanes = slot->nlanes_max = b->nlanes;
	slot->terms.flags &= ~(uint64_t)TBUF_S_WRAP;
	/* Packets of any policy may have been lost after they were read. */
	if (b->overwritten)
		slot->terms.policy = TBUF_RING;
	slot->nspec = 0;
	b->control.end = b->end;
	b->control.stage = TBUF_STAGE_LIVE;
	memset(b->control.state, 0, sizeof(b->control.state));
	b->control.state[b->number] = TBUF_ENDING;
	if (ftruncate(b->fd, (off_t)b->end) != 0 || put_losses(b) != 0 ||
	    put(b, b->lanes, b->nlanes * sizeof(b->lanes[0]),
	    slot->lanes) != 0 ||
	    put(b, slot, sizeof(*slot), TBUF_SLOTS + b->number *
	    sizeof(*slot)) != 0 ||
	    put(b, &b->control, sizeof(b->control), 0) != 0)
		return (-ENOMEM);
	return (0);
}

static int
rebuild(struct rebuilt *b, int head,
    int (*next)(void *, struct tbuf_packet *), void *arg)
{
	struct tbuf_packet packet;
	int error = read_head(b, head), more;

	if (error == 0)
		error = reset_units(b);
	while (error == 0 && (more = next(arg, &packet)) != 0)
		error = more < 0 ? more : add_packet(b, &packet);
	return (error == 0 ? finish(b) : error);
}

/* Returns a hash of a text that is not 0. */
static uint64_t
hash(const char *text)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325);

	for (; *text != '\0'; text++)
		sum = (sum ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return (sum | 1);
}

/* Tells the readers of a target where the losses of its lanes are. */
static void
set_places(struct tbuf_target *t, struct rebuilt *b)
{
	struct tbuf_reader *r;
	unsigned i;

	for (i = 0; i < MIN(t->nreaders, b->nlanes); i++) {
		r = &t->readers[i];
		r->recorded = true;
		r->drops_after = b->placed[i].after;
		r->drops_before = b->placed[i].before;
		r->recorded_gaps = b->gaps + b->placed[i].first_gap;
		r->nrecorded_gaps = b->placed[i].ngaps;
		r->damage = b->placed[i].unplaced;
		r->unplaced = r->damage != 0;
	}
	t->recorded_gaps = b->gaps;
	b->gaps = NULL;
}

/* Opens the file as a target. */
static int
add_target(struct tbuf_consumer *c, const char *name, struct rebuilt *b,
    char words[TBUF_PROBLEM_MAX])
{
	const struct tbuf_target *last;
	struct tbuf_target *t;
	int error;

	last = TAILQ_LAST(&c->targets, tbuf_target_list);
	error = tbuf_image_add(c, b->fd, 0, words);
	t = TAILQ_LAST(&c->targets, tbuf_target_list);
	if (error >= 0 && t != last) {
		set_places(t, b);
		t->recording = hash(name);
	}
	return (error);
}

int
tbuf_consumer_open_packets(struct tbuf_consumer *c, const char *name, int head,
    int (*next)(void *, struct tbuf_packet *), void *arg)
{
	struct rebuilt *b = calloc(1, sizeof(*b));
	char words[TBUF_PROBLEM_MAX] = "";
	int error;

	if (b == NULL)
		return (-ENOMEM);
	b->fd = -1;
	b->at = NONE;
	error = rebuild(b, head, next, arg);
	if (error != 0) {
		(void)tbuf_problem(words, error, "%s", error == -EINVAL ?
		    "it is damaged" : error == -EPROTO ?
		    "it is of another version" : strerror(-error));
		if (b->fd >= 0)
			close(b->fd);
	} else
		error = add_target(c, name, b, words);
	free(b->gaps);
	free(b);
	return (error >= 0 ? 0 : tbuf_consumer_fail(c, error,
	    "failed to read %s: %s", name, words));
}
