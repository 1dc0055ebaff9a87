/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What an EPID stands for: a probe, an enabling, and what the records that
 * have it look like.  It is looked up once; what the target's file says later
 * changes nothing.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "consumer/decode/address_kind.h"
#include "consumer/attach/target_clauses.h"
#include "consumer/decode/record_layout.h"
#include "consumer/decode/probe_ids.h"
#include "consumer/read/replay.h"
#include "consumer/read/events.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"

/* Of all layouts of a target's clauses: some MiB, whatever it claims. */
#define PIECES_MOST	(1u << 19)

/*
 * A file's session had enablings of its own.  What is given of it are the
 * probes that ours match, or all if there are none.
 */
static void
choose_enabling(const struct tbuf_consumer *c,
    const struct tbuf_probe_info *info, struct tbuf_epid *epid)
{
	struct tbuf_names names;
	unsigned i;

	tbuf_probe_names(info, &names);
	for (i = 0; i < c->npatterns; i++)
		if (tbuf_description_match(tbuf_consumer_pattern(c, i),
		    &names)) {
			epid->enabling = i;
			return;
		}
	epid->unwanted = c->npatterns != 0;
}

static bool
read_at(const struct tbuf_target *t, uint64_t at, void *to, size_t size)
{
	return (pread(t->fd, to, size, (off_t)at) == (ssize_t)size);
}

/*
 * The pieces of a text, copied: how many, or -1 if there is no such text.  It
 * lies in the texts as a whole.
 */
static int
read_text(const struct tbuf_target *t, uint64_t at,
    struct tbuf_piece pieces[TBUF_PIECES_MAX])
{
	struct tbuf_text_record text;
	size_t size;

	if (at >= t->texts.size || t->texts.size - at < sizeof(text) ||
	    !read_at(t, t->texts.at + at, &text, sizeof(text)))
		return (-1);
	size = text.npieces * sizeof(*pieces);
	if (text.npieces > TBUF_PIECES_MAX ||
	    text.size > t->texts.size - at ||
	    text.size < sizeof(text) + size ||
	    !read_at(t, t->texts.at + at + sizeof(text), pieces, size))
		return (-1);
	return (text.npieces);
}

/*
 * What this consumer's own script records is known here; of the target's file
 * only which record it is.
 */
static int
own_text(const struct tbuf_consumer *c, struct tbuf_target *t, uint64_t at,
    struct tbuf_epid *epid, struct tbuf_piece pieces[TBUF_PIECES_MAX])
{
	struct tbuf_text_record text;

	if (at >= t->texts.size || t->texts.size - at < sizeof(text) ||
	    !read_at(t, t->texts.at + at, &text, sizeof(text)))
		return (-1);
	epid->record = tbuf_clauses_record(c, epid->enabling, text.record);
	if (epid->record == NULL)
		return (-1);
	tbuf_clauses_pieces(epid->record, pieces);
	return ((int)epid->record->npieces);
}

/* Where a layout is followed by what is told of a record out of a file. */
static size_t
told_at(unsigned npieces)
{
	return (tbuf_aligned(tbuf_layout_size(npieces), sizeof(uint64_t)));
}

static size_t
told_size(unsigned npieces)
{
	return (told_at(npieces) + sizeof(struct tbuf_d_record) +
	    npieces * (sizeof(struct tbuf_d_action) +
	    sizeof(struct tbuf_d_piece)));
}

/* What is asked for as a raw stack is one if it is bytes. */
static void
tell_piece(const struct tbuf_piece *text, unsigned i,
    struct tbuf_d_action *action, struct tbuf_d_piece *piece)
{
	uint32_t asked = text->asked & ((1u << TBUF_ASKED_SHIFT) - 1);

	if (asked == TBUF_ASKED_RAW && text->type != TBUF_BINARY)
		asked = TBUF_ASKED_NONE;
	*action = (struct tbuf_d_action){
		.kind = tbuf_asked_action(asked), .first = i, .count = 1
	};
	*piece = (struct tbuf_d_piece){
		.kind = asked == TBUF_ASKED_RAW ? TBUF_PIECE_STACK :
		    TBUF_PIECE_ARGUMENT,
		.bytes = (text->asked >> TBUF_ASKED_SHIFT) *
		    (uint32_t)sizeof(uint64_t),
		.shape = tbuf_asked_shape(asked)
	};
}

/*
 * A file does not say what its clauses' actions were, but for addresses of
 * programs: each piece is told as trace() would tell it.
 */
static void
tell(struct tbuf_epid *epid, struct tbuf_record_layout *layout,
    const struct tbuf_piece *texts)
{
	struct tbuf_d_record *record = (struct tbuf_d_record *)(void *)
	    ((char *)layout + told_at(layout->npieces));
	struct tbuf_d_action *actions = (struct tbuf_d_action *)(record + 1);
	struct tbuf_d_piece *pieces = (struct tbuf_d_piece *)(void *)
	    (actions + layout->npieces);
	unsigned i;

	*record = (struct tbuf_d_record){
		.actions = actions, .nactions = layout->npieces,
		.pieces = pieces, .npieces = layout->npieces
	};
	for (i = 0; i < layout->npieces; i++)
		tell_piece(&texts[i], i, &actions[i], &pieces[i]);
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
	    (layout = malloc(told_size((unsigned)n))) == NULL)
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

/* By its clause's text, or the probe's types where there is none. */
static bool
choose_layout(const struct tbuf_consumer *c, struct tbuf_target *t,
    uint16_t number, struct tbuf_epid *epid,
    const struct tbuf_probe_info *probe)
{
	struct tbuf_clause clause = { 0 };

	if (t->clauses != 0 && !read_at(t, t->clauses +
	    number * sizeof(clause), &clause, sizeof(clause)))
		return (false);
	epid->clause = clause.text != 0;
	epid->layout = epid->clause ? read_layout(c, t, &clause, epid, probe) :
	    tbuf_probe_layout(probe);
	return (epid->layout != NULL);
}

/* Of its enabling, or else of its probe, as layout.h has it. */
static uint32_t
read_selection(const struct tbuf_target *t, const struct tbuf_ecb *ecb)
{
	struct tbuf_session session;
	uint64_t given;
	uint32_t mask;

	if (read_at(t, t->area, &session, sizeof(session)) &&
	    session.selections != 0 && ecb->enabling < session.npatterns &&
	    session.selections <= INT64_MAX / 2 &&
	    read_at(t, session.selections + ecb->enabling * sizeof(given),
	    &given, sizeof(given)) && (given & TBUF_SELECTION_GIVEN) != 0)
		return ((uint32_t)given);
	mask = tbuf_load(&tbuf_view_probe(&t->view, ecb->probe)->selection);
	return (mask != 0 ? mask : TBUF_SELECTED);
}

/*
 * Whoever makes an ECB fills it before it is linked, and it is linked before
 * it fires, so a record's EPID is whole.
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
	/* A made-up number is that of a page that was never backed. */
	if (!read_at(t, t->area + t->plan.ecbs + number * sizeof(ecb), &ecb,
	    sizeof(ecb)) || ecb.enabling >= t->order.npatterns ||
	    tbuf_probes_read(&c->probes, &t->view, ecb.probe, &info) != 1)
		return (NULL);
	epid->enabling = ecb.enabling;
	epid->selection = read_selection(t, &ecb);
	if (!choose_layout(c, t, number, epid, info))
		return (NULL);
	if (t->file_only) {
		choose_enabling(c, info, epid);
		epid->unwanted |= !tbuf_refire_wants(c, t, epid, info);
	}
	epid->plain = !epid->clause && !epid->unwanted &&
	    number < TBUF_EPID_UNIT;
	epid->probe = info;
	return (epid);
}
