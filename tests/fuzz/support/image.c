/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A well-formed control file, and patches to it.
 */
#include <unistd.h>

#include "image.h"
#include "shared/control_file.h"
#include "tbuf.h"

const struct image_probe image_probes[IMAGE_PROBES] = {
	{ 0, { 0 } },
	{ 2, { TBUF_UINT64, TBUF_POINTER } },
	{ 10, { TBUF_INT8, TBUF_UINT16, TBUF_INT32, TBUF_INT64, TBUF_CHAR,
	    TBUF_BOOL, TBUF_FLOAT, TBUF_DOUBLE, TBUF_UINT8, TBUF_INT16 } },
	{ 3, { TBUF_STRING, TBUF_STRING_INTERNED, TBUF_STRING } },
	{ 2, { TBUF_BINARY, TBUF_STRING_SIZED } },
};

static uint32_t
add_string(struct image *image, const char *text)
{
	struct tbuf_control *control = tbuf_view_control(&image->view);
	uint32_t at = control->strings;
	size_t size = strlen(text) + 1;

	memcpy(image->view.base + image->view.tables.strings + at, text, size);
	control->strings += (uint32_t)size;
	return (at);
}

static void
add_probe(struct image *image, uint32_t index)
{
	const struct image_probe *probe = &image_probes[index];
	struct tbuf_probe_entry *entry = tbuf_view_probe(&image->view, index);
	char name[] = "pN", argument[] = "aN";
	unsigned i;

	name[1] = (char)('0' + index);
	entry->provider = add_string(image, "fuzz");
	entry->module = add_string(image, "image");
	entry->function = add_string(image, "function");
	entry->name = add_string(image, name);
	entry->argnames = tbuf_view_control(&image->view)->strings;
	for (i = 0; i < probe->nargs; i++) {
		argument[1] = (char)('0' + i);
		add_string(image, argument);
	}
	entry->nargs = (uint8_t)probe->nargs;
	memcpy(entry->types, probe->types, sizeof(entry->types));
	entry->sites = 1;
	entry->ready = 1;
}

void
image_target(struct image *image, pid_t pid, uint64_t start)
{
	struct tbuf_control *control = tbuf_view_control(&image->view);
	uint32_t i;

	tbuf_tables_make(0, UINT64_MAX, &image->view.tables);
	tbuf_control_fill(control, &image->view.tables, geteuid(), pid,
	    start, tbuf_pid_namespace(0), 1);
	control->stage = TBUF_STAGE_LIVE;
	control->flags = TBUF_F_RSEQ;
	control->clock = TBUF_CLOCK_MONOTONIC;
	control->window = UINT64_C(1) << 34;
	for (i = 0; i < IMAGE_PROBES; i++)
		add_probe(image, i);
	control->nprobes = IMAGE_PROBES;
}

/* Backs memory, which needs nothing. */
static int
back(void *argument, uint64_t offset, uint64_t length)
{
	(void)argument;
	(void)offset;
	(void)length;
	return (0);
}

/*
 * Describes the records of a session's EPIDs: every second one has pieces that
 * fit the data of add_record().
 */
static void
add_clauses(struct image *image, unsigned n)
{
	static const struct {
		uint64_t none;
		struct tbuf_text_record record;
		struct tbuf_piece pieces[4];
	} texts = {
		.record = { sizeof(texts) - 8, 4, 1 },
		.pieces = { { TBUF_UINT16, 0, 0, 0 }, { TBUF_INT8, 0, 3, 0 },
		    { TBUF_NONE, 1, 0, 0 }, { TBUF_STRING, 0, 0, 0 } }
	};
	struct tbuf_slot *slot = tbuf_view_slot(&image->view, n);
	struct tbuf_clause *clauses;
	unsigned i;

	image->clauses = image->size;
	image->size += IMAGE_CLAUSES * sizeof(*clauses) + IMAGE_TEXTS;
	FUZZ_CHECK(image->size <= image->view.size);
	clauses = (void *)(image->view.base + image->clauses);
	for (i = 1; i < IMAGE_CLAUSES; i++) {
		clauses[i].text = i % 2;
		clauses[i].binding = i << 4;
	}
	memcpy(clauses + IMAGE_CLAUSES, &texts, sizeof(texts));
	slot->clauses = image->clauses;
	slot->ecb_max = IMAGE_CLAUSES;
	slot->texts.at = image->clauses + IMAGE_CLAUSES * sizeof(*clauses);
	slot->texts.size = IMAGE_TEXTS;
}

/* Adds mappings, as a consumer stores them. */
static void
add_mappings(struct image *image, unsigned n)
{
	static const char lines[] =
	    "10000-12000 r-xp 1000 00:00 5 /fuzz/image\n"
	    "12000-13000 r-xp 0 00:00 0 [vdso]\n";
	struct tbuf_session *session = (struct tbuf_session *)(void *)
	    (image->view.base + image->area[n]);

	if (session->mappings.at == 0)
		return;
	memcpy(image->view.base + session->mappings.at, lines, sizeof(lines));
	session->mapped = sizeof(lines) - 1;
}

static void
add_session(struct image *image, unsigned n)
{
	static const char patterns[] = "fuzz:::\0p[1-3],*:p4";
	static const struct {
		enum tbuf_policy policy;
		uint64_t bufsize;
		bool rseq;
	} kinds[IMAGE_SESSIONS] = {
		{ TBUF_SWITCH, 1024, true }, { TBUF_FILL, 512, true },
		{ TBUF_RING, 1000, true }, { TBUF_RING, 256, false },
	};
	struct tbuf_control *control = tbuf_view_control(&image->view);
	struct tbuf_names_copy copy = { .offsets = { 0 } };
	struct tbuf_order order = {
		.terms = { .bufsize = kinds[n].bufsize,
		    .policy = kinds[n].policy, .strsize = 32, .only_cpu = -1,
		    .flags = n == IMAGE_NAMES ? TBUF_S_NAMES : 0,
		    .owner = "fuzz", .owner_pid = 1, .run = 1 },
		.rseq = kinds[n].rseq, .patterns = patterns,
		.patterns_size = sizeof(patterns), .npatterns = 2,
		.entries = image->view.tables.entries
	};
	struct tbuf_backing backing = { .back = back };
	uint32_t i;

	for (i = 0; i < 64; i++)
		tbuf_cpus_add(&order.cpus, i < 2 ? i : 0);
	FUZZ_CHECK(tbuf_area_make(&order, &image->layout[n]) == 0);
	image->area[n] = image->size;
	image->size += image->layout[n].size;
	FUZZ_CHECK(image->size <= image->view.size);
	FUZZ_CHECK(tbuf_session_build(&image->view, n, image->area[n],
	    ++control->generation, &order, &image->layout[n]) == 0);
	add_mappings(image, n);
	tbuf_view_slot(&image->view, n)->area_size = image->layout[n].size;
	control->end = image->size;
	control->state[n] = TBUF_ACTIVE;
	for (i = 0; i < control->nprobes; i++)
		if (tbuf_view_names(&image->view, i, &copy))
			tbuf_match(&image->view, n, i, &copy.names, patterns,
			    sizeof(patterns), 2, &backing);
}

void
image_sessions(struct image *image)
{
	unsigned n;

	image->size = image->view.tables.areas;
	for (n = 0; n < IMAGE_SESSIONS; n++)
		add_session(image, n);
	add_clauses(image, 2);
	tbuf_view_control(&image->view)->end = image->size;
}

/* Makes a record's data: numbers of letters, texts of five bytes. */
static size_t
make_data(const struct image_probe *probe, uint8_t *data)
{
	static const uint8_t sizes[TBUF_STRING_INTERNED + 1] = {
		[TBUF_INT8] = 1, [TBUF_INT16] = 2, [TBUF_INT32] = 4,
		[TBUF_INT64] = 8, [TBUF_UINT8] = 1, [TBUF_UINT16] = 2,
		[TBUF_UINT32] = 4, [TBUF_UINT64] = 8, [TBUF_CHAR] = 1,
		[TBUF_BOOL] = 1, [TBUF_FLOAT] = 4, [TBUF_DOUBLE] = 8,
		[TBUF_POINTER] = 8, [TBUF_STRING_INTERNED] = 4
	};
	size_t size, at = 0;
	unsigned i;

	for (i = 0; i < probe->nargs; i++) {
		size = sizes[probe->types[i]];
		if (size != 0) {
			at = (at + size - 1) & ~(size - 1);
			memset(data + at, 'a' + (int)i, size);
			at += size;
			continue;
		}
		at = (at + 1) & ~(size_t)1;
		memcpy(data + at, "\5\0text\n", 7);
		at += 7;
	}
	return ((at + 7) & ~(size_t)7);
}

/* Appends to a lane. */
static void
put(struct image *image, struct tbuf_lane *lane, const void *data, size_t size)
{
	uint64_t mask = tbuf_place_storage(lane->place) - 1;
	size_t i;

	for (i = 0; i < size; i++)
		image->view.base[tbuf_place_offset(lane->place) +
		    ((lane->head + i) & mask)] = ((const uint8_t *)data)[i];
	lane->head += size;
}

static void
add_record(struct image *image, struct tbuf_lane *lane, uint16_t epid,
    uint32_t probe)
{
	struct tbuf_lock_record record = { .cpu = 1 };
	uint8_t data[128] = { 0 };
	size_t size = make_data(&image_probes[probe], data);
	size_t head = lane->kind == TBUF_KIND_LOCK ? sizeof(record) :
	    sizeof(record.header);

	if (lane->head + head + size > lane->limit)
		return;
	record.header.time = ++lane->last;
	record.header.epid = epid;
	record.header.size = (uint16_t)(head + size);
	record.header.tid = 7;
	put(image, lane, &record, head);
	put(image, lane, data, size);
}

void
image_records(struct image *image)
{
	const struct tbuf_ecb *ecbs;
	struct tbuf_slot *slot;
	struct tbuf_lane *lane;
	unsigned n;
	uint32_t i;
	uint16_t epid;

	for (n = 0; n < IMAGE_SESSIONS; n++) {
		slot = tbuf_view_slot(&image->view, n);
		ecbs = (const void *)(image->view.base + slot->ecbs);
		for (i = 0; i < slot->nlanes; i++) {
			lane = (struct tbuf_lane *)(void *)
			    (image->view.base + slot->lanes) + i;
			if (slot->terms.policy != TBUF_FILL)
				lane->head = tbuf_place_storage(lane->place) -
				    40;
			lane->tail = lane->pair[0].tail = lane->head;
			lane->limit = lane->head + lane->size;
			for (epid = 1; epid < slot->necbs; epid++)
				add_record(image, lane, epid,
				    ecbs[epid].probe);
		}
	}
}

/* Fills a unit's table with records like those of lanes. */
static void
fill_table(struct image *image, uint64_t generation, unsigned i,
    enum tbuf_unit_state state)
{
	struct tbuf_unit_entry *entry = (struct tbuf_unit_entry *)(void *)
	    (image->view.base + image->units + sizeof(struct tbuf_units)) + i;
	uint64_t at = image->units + tbuf_units_tables(IMAGE_UNITS) +
	    i * IMAGE_UNITSIZE;
	struct tbuf_lane lane = {
		.place = tbuf_place(at, IMAGE_UNITSIZE),
		.size = IMAGE_UNITSIZE, .limit = IMAGE_UNITSIZE,
		.kind = TBUF_KIND_LOCK
	};

	add_record(image, &lane, 1, 0);
	add_record(image, &lane, 2, 1);
	entry->word = tbuf_unit_word(generation, i + 1, state);
	entry->head = tbuf_unit_head(0, 2, lane.head);
	entry->ended = tbuf_unit_rule(-1, UINT32_MAX);
	entry->count = 2;
	entry->thread = 7;
}

/* Adds a commit record, or an envelope with one record. */
static void
add_unit(struct image *image, struct tbuf_lane *lane, uint16_t epid,
    uint32_t table)
{
	struct tbuf_lock_record inner = { .header = { .epid = 1,
	    .size = sizeof(inner), .time = lane->last + 1 } };
	struct tbuf_unit_record unit = { .table = table,
	    .instance = table + 1, .outcome = -1, .mask = UINT32_MAX,
	    .count = 1 };
	struct tbuf_header header = { .epid = epid,
	    .size = sizeof(header) + sizeof(unit), .time = ++lane->last };

	if (epid == TBUF_EPID_ENVELOPE)
		header.size += (uint16_t)sizeof(inner);
	FUZZ_CHECK(lane->head + header.size <= lane->limit);
	put(image, lane, &header, sizeof(header));
	put(image, lane, &unit, sizeof(unit));
	if (epid == TBUF_EPID_ENVELOPE)
		put(image, lane, &inner, sizeof(inner));
}

void
image_units_fill(struct image *image, uint64_t generation,
    struct tbuf_lane *lane)
{
	fill_table(image, generation, 0, TBUF_UNIT_DONE);
	fill_table(image, generation, 1, TBUF_UNIT_BOUND);
	fill_table(image, generation, 2, TBUF_UNIT_ENDING);
	add_unit(image, lane, TBUF_EPID_UNIT, 0);
	add_unit(image, lane, TBUF_EPID_ENVELOPE, IMAGE_UNITS - 1);
}

void
image_units(struct image *image)
{
	struct tbuf_slot *slot = tbuf_view_slot(&image->view, 0);

	image->size = (image->size + TBUF_PAGE - 1) & ~(uint64_t)(TBUF_PAGE - 1);
	image->units = image->size;
	slot->units.at = image->units;
	slot->units.size = tbuf_units_tables(IMAGE_UNITS) +
	    IMAGE_UNITS * IMAGE_UNITSIZE;
	slot->terms.flags |= tbuf_terms_unit_flags(IMAGE_UNITS,
	    IMAGE_UNITSIZE);
	image->size += slot->units.size;
	FUZZ_CHECK(image->size <= image->view.size);
	tbuf_view_control(&image->view)->end = image->size;
	image_units_fill(image, slot->generation, (struct tbuf_lane *)(void *)
	    (image->view.base + slot->lanes));
}

struct patch
image_next(struct input *in)
{
	struct patch p;

	p.part = (uint8_t)input_take(in, 1);
	p.how = (uint8_t)input_take(in, 1);
	p.at = (uint16_t)input_take(in, 2);
	p.value = (uint32_t)input_take(in, 4);
	return (p);
}

/* Parts from here on belong to clauses. */
#define CLAUSE_PARTS	(PATCH_ACTION - IMAGE_SESSIONS)

/* Returns the start of a part; *size is how much of it patches reach. */
static uint64_t
find_part(const struct image *image, unsigned part, uint64_t *size)
{
	unsigned n = part % IMAGE_SESSIONS;
	const struct tbuf_area *layout = &image->layout[n];
	uint64_t area = image->area[n];

	*size = 256;
	/* New parts are last: old inputs must reach the same bytes. */
	switch (part < CLAUSE_PARTS ? part / IMAGE_SESSIONS % 13 : 13) {
	case 0:		/* the header, mostly its variable fields */
		*size = sizeof(struct tbuf_control);
		return (n == 0 ? 0 : offsetof(struct tbuf_control, nprobes));
	case 1:
		return (n % 2 == 0 ? image->view.tables.probes :
		    image->view.tables.strings);
	case 2:
		*size = 64;
		return (image->view.tables.enable);
	case 3:		/* the slot's words */
	case 4:
		*size = 160;
		return (TBUF_SLOTS + n * TBUF_SLOT_SIZE);
	case 5:
		return (TBUF_SLOTS + n * TBUF_SLOT_SIZE +
		    offsetof(struct tbuf_slot, locks));
	case 6:
		*size = 16;
		return (TBUF_SLOTS + n * TBUF_SLOT_SIZE +
		    offsetof(struct tbuf_slot, lane_of_cpu));
	case 7:
		*size = 16;
		return (area + layout->heads);
	case 8:		/* the session's header, and its patterns */
		*size = layout->lanes;
		return (area);
	case 9:
		return (area + layout->ecbs);
	case 10:
	case 11:
		*size = layout->nlanes * sizeof(struct tbuf_lane);
		return (area + layout->lanes);
	case 13:
		if (n == 1 && image->units != 0) {
			*size = IMAGE_UNITS * sizeof(struct tbuf_unit_entry);
			return (image->units + sizeof(struct tbuf_units));
		}
		*size = n == 0 ? 96 : 64;
		if (n == IMAGE_NAMES)
			return (area + layout->mappings);
		return (image->clauses + (n < 2 ? 0 : IMAGE_CLAUSES *
		    sizeof(struct tbuf_clause)));
	default:
		*size = layout->storage;
		return (area + layout->data);
	}
}

/* Decodes a patch, which can name values of interest, as these are rare. */
struct change
image_change(const struct image *image, const struct patch *p)
{
	uint64_t size, start = find_part(image, p->part, &size);
	uint64_t at = start + p->at % size, word, value = p->value;
	unsigned bytes = 8;

	/* The place is aligned unless the input forbids it. */
	if ((p->how & 0x80) == 0)
		at &= ~UINT64_C(1);
	if ((p->how & 0xc0) == 0)
		at &= (p->how & 7) <= 2 ? ~UINT64_C(3) : ~UINT64_C(7);
	if (at > image->size - sizeof(word))
		at = image->size - sizeof(word);
	memcpy(&word, image->view.base + at, sizeof(word));
	switch (p->how & 7) {
	case 0:
		bytes = 1;
		break;
	case 1:
		bytes = 2;
		break;
	case 2:
		bytes = 4;
		break;
	case 3:
		value = (uint64_t)(int64_t)(int32_t)p->value;
		break;
	case 4:
		value = word + (uint64_t)(int64_t)(int32_t)p->value;
		break;
	case 5:		/* near a power of two */
		value = (UINT64_C(1) << (p->value & 63)) +
		    (uint64_t)(int64_t)(int8_t)(p->value >> 8);
		break;
	case 6:		/* near the file's end */
		value = image->size + (uint64_t)(int64_t)(int32_t)p->value;
		break;
	case 7:		/* near its own place */
		value = at + (uint64_t)(int64_t)(int16_t)p->value;
		break;
	}
	return ((struct change){ at, bytes, word, value });
}

void
image_patch(const struct image *image, const struct patch *p)
{
	struct change c = image_change(image, p);

	memcpy(image->view.base + c.at, &c.value, c.bytes);
}
