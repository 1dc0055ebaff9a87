/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Looks up EPIDs: their probe, enabling and record layout.  Each is looked up
 * once; later changes of the target's file have no effect.
 */
#include <stdlib.h>

#include "arch/atomics.h"
#include "consumer/attach/target_clauses.h"
#include "consumer/decode/probe_ids.h"
#include "consumer/decode/record_layout.h"
#include "consumer/read/events.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"

/* Most pieces of a target's layouts, which bounds them to some MiB. */
#define PIECES_MOST	(1u << 19)

/*
 * Chooses the enabling for a probe in a file: the first one of this run, not of
 * the file's session, that matches it.  A run without enablings gets all
 * records.
 */
static void
choose_enabling(const struct tbuf_consumer *c,
    const struct tbuf_probe_info *info, struct tbuf_epid *epid)
{
	unsigned i;

	for (i = 0; i < c->npatterns; i++)
		if (tbuf_probe_matches(info, tbuf_consumer_pattern(c, i))) {
			epid->enabling = i;
			return;
		}
	epid->unwanted = c->npatterns != 0;
}

/* Reads the head of a text record inside of the session's texts. */
static bool
read_head(const struct tbuf_target *t, uint64_t at,
    struct tbuf_text_record *text)
{
	return (at < t->texts.size && t->texts.size - at >= sizeof(*text) &&
	    tbuf_file_read(t->fd, text, sizeof(*text), t->texts.at + at));
}

/*
 * Copies the pieces of a text record.  Returns their number, -1 if there is no
 * such record inside of the session's texts.
 */
static int
read_text(const struct tbuf_target *t, uint64_t at,
    struct tbuf_piece pieces[TBUF_PIECES_MAX])
{
	struct tbuf_text_record text;
	size_t size;

	if (!read_head(t, at, &text))
		return (-1);
	size = text.npieces * sizeof(*pieces);
	if (text.npieces > TBUF_PIECES_MAX ||
	    text.size > t->texts.size - at ||
	    text.size < sizeof(text) + size ||
	    !tbuf_file_read(t->fd, pieces, size,
	    t->texts.at + at + sizeof(text)))
		return (-1);
	return (text.npieces);
}

/*
 * Finds a record of this consumer's own script: the target's file says only
 * which one it is.  Returns the number of pieces, or -1.
 */
static int
own_text(const struct tbuf_consumer *c, struct tbuf_target *t, uint64_t at,
    struct tbuf_epid *epid, struct tbuf_piece pieces[TBUF_PIECES_MAX])
{
	struct tbuf_text_record text;

	if (!read_head(t, at, &text))
		return (-1);
	epid->record = tbuf_clauses_record(c, epid->enabling, text.record);
	if (epid->record == NULL)
		return (-1);
	tbuf_clauses_pieces(epid->record, pieces);
	return ((int)epid->record->npieces);
}

/* Returns the offset of a file record's description, after its layout. */
static size_t
d_record_at(unsigned npieces)
{
	return (tbuf_aligned(tbuf_layout_size(npieces), sizeof(uint64_t)));
}

static size_t
d_record_size(unsigned npieces)
{
	return (d_record_at(npieces) + sizeof(struct tbuf_d_record) +
	    npieces * (sizeof(struct tbuf_d_action) +
	    sizeof(struct tbuf_d_piece)));
}

/* Describes a piece out of a file; only bytes can be a raw stack. */
static void
tell_piece(const struct tbuf_piece *text, unsigned i,
    struct tbuf_d_action *action, struct tbuf_d_piece *piece)
{
	uint32_t address_kind = text->address_kind &
	    ((1u << TBUF_ADDRESS_BYTES_SHIFT) - 1);

	if (address_kind == TBUF_ADDRESS_RAW && text->type != TBUF_BINARY)
		address_kind = TBUF_ADDRESS_NONE;
	*action = (struct tbuf_d_action){
		.kind = tbuf_address_action(address_kind), .first = i,
		    .count = 1
	};
	*piece = (struct tbuf_d_piece){
		.kind = address_kind == TBUF_ADDRESS_RAW ? TBUF_PIECE_STACK :
		    TBUF_PIECE_ARGUMENT,
		.bytes = (text->address_kind >> TBUF_ADDRESS_BYTES_SHIFT) *
		    (uint32_t)sizeof(uint64_t),
		.shape = tbuf_address_shape(address_kind)
	};
}

/* Returns true for the pieces of record(), which no other action makes. */
static bool
is_record(const struct tbuf_piece *texts, unsigned n)
{
	unsigned i;

	for (i = 0; i < n && i < TBUF_NARGS; i++)
		if (texts[i].type != TBUF_NONE ||
		    texts[i].name != TBUF_NAMES_MAX + i)
			return (false);
	return (i == TBUF_NARGS);
}

/*
 * Describes a record out of a file.  The file does not have the actions of its
 * clauses, except those on addresses and record(): other pieces are described
 * as trace()'s.
 */
static void
tell(struct tbuf_epid *epid, struct tbuf_record_layout *layout,
    const struct tbuf_piece *texts)
{
	struct tbuf_d_record *record = (struct tbuf_d_record *)(void *)
	    ((char *)layout + d_record_at(layout->npieces));
	struct tbuf_d_action *actions = (struct tbuf_d_action *)(record + 1);
	struct tbuf_d_piece *pieces = (struct tbuf_d_piece *)(void *)
	    (actions + layout->npieces);
	unsigned i, n = 0;

	*record = (struct tbuf_d_record){
		.actions = actions,
		.pieces = pieces, .npieces = layout->npieces
	};
	for (i = 0; i < layout->npieces; i++)
		tell_piece(&texts[i], i, &actions[i], &pieces[i]);
	for (i = 0; i < layout->npieces; i += actions[n++].count) {
		actions[n] = actions[i];
		if (!is_record(&texts[i], layout->npieces - i))
			continue;
		actions[n].kind = TBUF_ACTION_RECORD;
		actions[n].count = TBUF_NARGS;
	}
	record->nactions = n;
	epid->record = record;
}

static const struct tbuf_record_layout *
read_layout(const struct tbuf_consumer *c, struct tbuf_target *t,
    const struct tbuf_clause *clause, struct tbuf_epid *epid,
    const struct tbuf_probe_info *probe)
{
	struct tbuf_piece pieces[TBUF_PIECES_MAX];
	struct tbuf_record_layout *layout;
	uint64_t at = UINT64_C(8) * clause->text;
	int n = c->programs != NULL && !t->file_only ?
	    own_text(c, t, at, epid, pieces) : read_text(t, at, pieces);

	if (n < 0 || (unsigned)n >= PIECES_MOST - t->npieces ||
	    (layout = malloc(d_record_size((unsigned)n))) == NULL)
		return (NULL);
	if (!tbuf_layout_pieces(layout, pieces, (unsigned)n, clause->binding,
	    probe)) {
		free(layout);
		return (NULL);
	}
	t->npieces += (unsigned)n + 1;
	if (epid->record == NULL)
		tell(epid, layout, pieces);
	return (layout);
}

/* Chooses the layout: of the clause's text record, or the probe's arguments. */
static bool
choose_layout(const struct tbuf_consumer *c, struct tbuf_target *t,
    uint16_t number, struct tbuf_epid *epid,
    const struct tbuf_probe_info *probe)
{
	struct tbuf_clause clause = { 0 };

	if (t->clauses != 0 && !tbuf_file_read(t->fd, &clause, sizeof(clause),
	    t->clauses + number * sizeof(clause)))
		return (false);
	epid->clause = clause.text != 0;
	epid->layout = epid->clause ? read_layout(c, t, &clause, epid, probe) :
	    tbuf_probe_layout(probe);
	return (epid->layout != NULL);
}

/* Returns the selection of an ECB's enabling, or else of its probe. */
static uint32_t
read_selection(const struct tbuf_target *t, const struct tbuf_ecb *ecb)
{
	struct tbuf_session session;
	uint64_t selection;
	uint32_t mask;

	if (tbuf_file_read(t->fd, &session, sizeof(session), t->area) &&
	    session.selections != 0 && ecb->enabling < session.npatterns &&
	    session.selections <= INT64_MAX / 2 &&
	    tbuf_file_read(t->fd, &selection, sizeof(selection),
	    session.selections + ecb->enabling * sizeof(selection)) &&
	    (selection & TBUF_SELECTION_SET) != 0)
		return ((uint32_t)selection);
	mask = tbuf_load(&tbuf_view_probe(&t->view, ecb->probe)->selection);
	return (mask != 0 ? mask : TBUF_SELECTED);
}

/*
 * An ECB is filled in before it is linked, and linked before it fires, so the
 * ECB of a record's EPID is complete.
 */
const struct tbuf_epid *
tbuf_epid_read(struct tbuf_consumer *c, struct tbuf_target *t, uint16_t number)
{
	const struct tbuf_probe_info *info;
	struct tbuf_ecb ecb;
	struct tbuf_epid *epid;

	if (number == 0 || number >= t->necbs_max ||
	    number >= tbuf_load_acquire(&tbuf_target_slot(t)->necbs))
		return (NULL);
	epid = &t->epids[number];
	/* A forged EPID may be in a page that was never backed. */
	if (!tbuf_file_read(t->fd, &ecb, sizeof(ecb), t->area +
	    t->layout.ecbs + number * sizeof(ecb)) ||
	    ecb.enabling >= t->order.npatterns ||
	    tbuf_probes_read(&c->probes, &t->view, ecb.probe, &info) != 1)
		return (NULL);
	epid->enabling = ecb.enabling;
	epid->selection = read_selection(t, &ecb);
	if (!choose_layout(c, t, number, epid, info))
		return (NULL);
	if (t->file_only) {
		choose_enabling(c, info, epid);
		epid->unwanted |= !tbuf_replay_wants(c, t, epid, info);
	}
	epid->plain = !epid->clause && !epid->unwanted &&
	    !epid->layout->interned &&
	    number < TBUF_EPID_UNIT;
	epid->gaps = tbuf_layout_gaps(epid->layout);
	epid->ntexts = epid->layout->ntexts;
	epid->end = epid->unwanted ? 0 : epid->layout->first + 1;
	epid->probe = info;
	return (epid);
}
