/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The selection of a unit's records: they are retained if an outcome's mask
 * matches the selection of their enablings or of their probes.
 */
#include "base/optimize_size.h"

#include "shared/session_build.h"
#include "target/file/file.h"
#include "target/lane/lane.h"
#include "target/self/self.h"
#include "target/unit/unit.h"

struct tbuf_units *
tbuf_units_find(uint64_t base, const struct tbuf_slot *slot, uint32_t *count,
    uint64_t *size)
{
	uint64_t at = tbuf_load(&slot->units.at), end = tbuf_file_end(base);

	*count = tbuf_terms_units(&slot->terms, size);
	if (*count == 0 || at < TBUF_TABLES || at % 64 != 0 || at > end ||
	    end - at < tbuf_units_tables(*count) + *count * *size)
		return (NULL);
	return ((struct tbuf_units *)(uintptr_t)(base + at));
}

/* Returns the selection of an enabling, which overrides its probes', or 0. */
static uint64_t
override(uint64_t base, const struct tbuf_slot *slot, uint32_t enabling)
{
	uint64_t at = tbuf_load(&slot->area);
	uint64_t end = tbuf_file_end(base);
	const struct tbuf_session *session;

	if (at % 8 != 0 || at > end || end - at < sizeof(*session))
		return (0);
	session = (const struct tbuf_session *)(uintptr_t)(base + at);
	at = tbuf_load(&session->selections);
	if (at == 0 || at % 8 != 0 || at > end ||
	    enabling >= tbuf_load(&session->npatterns) ||
	    enabling >= (end - at) / sizeof(uint64_t))
		return (0);
	return (tbuf_load((const uint64_t *)(uintptr_t)(base + at) +
	    enabling));
}

uint32_t
tbuf_unit_selection(uint64_t base, const struct tbuf_slot *slot,
    uint32_t epid, struct tbuf_unit_epid *cached)
{
	uint64_t max;
	const struct tbuf_ecb *ecbs = tbuf_fire_ecbs(base, slot, &max);
	struct tbuf_view view = { (unsigned char *)(uintptr_t)base,
	    tbuf_self.window, tbuf_self.tables };
	const uint32_t *word;
	uint32_t probe, mask;
	uint64_t selection;

	if (epid >= max || (probe = tbuf_load(&ecbs[epid].probe)) >=
	    tbuf_self.tables.entries)
		return (TBUF_SELECTED);
	selection = override(base, slot, tbuf_load(&ecbs[epid].enabling));
	word = &tbuf_view_probe(&view, probe)->selection;
	mask = tbuf_load(word);
	if (cached != NULL)
		*cached = (struct tbuf_unit_epid){ epid, 0, mask, word };
	if ((selection & TBUF_SELECTION_SET) != 0)
		return ((uint32_t)selection);
	return (mask != 0 ? mask : TBUF_SELECTED);
}
