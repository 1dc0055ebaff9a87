/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A target fires with arbitrary data in its sessions: it must not crash or
 * hang, or store outside its window.  The input is patches, and actions that
 * fire.
 */
#include <errno.h>

#include "target/file/file.h"
#include "target/file/probe_table.h"
#include "target/provider.h"
#include "target/self/thread.h"
#include "support/window.h"

enum {
	ACTION_FIRE = PATCH_ACTION,
	ACTION_MARK,		/* switch between CPU and lock lanes */
	ACTION_MEET,		/* as a new probe does */
	ACTION_FIND,
	ACTION_AGE		/* the deadline is near */
};

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	window_make(NULL);
	return (0);
}

static void
fire(const struct patch *p)
{
	static const char long_text[50000];
	const struct tbuf_bytes bytes = { long_text, p->value >> 8 & 0x7fff };
	const struct tbuf_bytes text = { "text", p->value & 3 };
	struct tbuf_site *site = &window_sites[p->value % IMAGE_PROBES];
	uint64_t values[TBUF_ARGS_MAX];
	unsigned i;

	for (i = 0; i < TBUF_ARGS_MAX; i++)
		values[i] = p->value * (uint64_t)(i + 1);
	if (site == &window_sites[3]) {
		values[0] = (uintptr_t)"string";
		values[2] = p->value % 7 == 0 ? 0 :
		    (uintptr_t)(long_text + sizeof(long_text) - 1);
	} else if (site == &window_sites[4]) {
		values[0] = (uintptr_t)&bytes;
		values[1] = (uintptr_t)&text;
	}
	errno = 0;
	for (i = 0; i <= p->at % 4; i++)
		tbuf_probe_fire(site, values);
	FUZZ_CHECK(errno == 0);
}

static void
find(uint32_t n)
{
	char name[] = "pN";
	const struct tbuf_names names = { "fuzz", "image",
	    n % 2 == 0 ? NULL : "function", name };
	uint32_t index = 0;

	name[1] = (char)('0' + n % IMAGE_PROBES);
	FUZZ_CHECK(tbuf_table_find(&names, &index) <= TBUF_NPROBES_MAX);
	FUZZ_CHECK(index < TBUF_NPROBES_MAX);
}

static void
act(const struct patch *p)
{
	struct tbuf_slot *slot;

	switch (PATCH_ACTION + (p->part - PATCH_ACTION) % 8) {
	case ACTION_MARK:
		tbuf_thread_mark(tbuf_thread.shared == 0 ? 1 : -1);
		break;
	case ACTION_MEET:
		tbuf_sessions_match(p->value % IMAGE_PROBES,
		    p->value % IMAGE_PROBES + 1);
		break;
	case ACTION_FIND:
		find(p->value);
		break;
	case ACTION_AGE:
		slot = tbuf_view_slot(&window_image.view,
		    p->value % IMAGE_SESSIONS);
		slot->deadline = tbuf_clock_read(tbuf_self.clock) + p->at;
		break;
	default:
		fire(p);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct patch p;
	uint32_t i;

	window_restore();
	for (i = 0; i < tbuf_local->cpus; i++)
		memset(tbuf_memo_of(tbuf_local, i, 0), 0, TBUF_PAGE);
	while (in.size > 0) {
		p = image_next(&in);
		if (p.part >= PATCH_ACTION)
			act(&p);
		else
			image_patch(&window_image, &p);
	}
	return (0);
}
