/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Elements of arrays in arbitrary memory, with an arbitrary list of initial
 * elements.  An access must end, and may find only that memory; the next access
 * may find only values stored there.
 *
 * Input: the number of sets, bytes of a value, then the number of accesses: an
 * operation and a key each; then bytes of the sets, then the list.
 */
#include "support/fuzz.h"
#include "shared/array_element.h"
#include "shared/atomic_step.h"

#define KEY		8u
#define VALUE_MOST	24u
#define HEAD		(TBUF_ELEMENT_HEAD * 8u)
#define TRIES		64

enum { LOAD, STORE, FREE, PART, OPERATIONS };

static void
access_one(const struct tbuf_sets *sets, uint32_t size, unsigned operation,
    uint8_t which)
{
	const struct tbuf_element_key key = {
		.scope = which & 1, .id = 1, .size = KEY
	};
	uint64_t body[(HEAD + KEY + VALUE_MOST) / 8] = { 0 };
	uint64_t loaded[VALUE_MOST / 8];
	uint8_t bytes[VALUE_MOST] = { which, 1, 2 };
	struct tbuf_structure_part part = {
		.whole = bytes, .at = size / 2, .size = size / 2
	};
	struct tbuf_access a = {
		.sets = *sets, .size = size, .stores = operation != LOAD,
		.keeps = operation != FREE, .value = 1, .loaded = loaded,
		.part = operation == PART && size != 0 ? &part : NULL
	};
	unsigned try;

	body[TBUF_ELEMENT_HEAD] = which;
	if (!tbuf_access_body(&a, body, KEY + VALUE_MOST, &key,
	    a.stores && a.keeps && size != 0 ? bytes : NULL, size))
		return;
	tbuf_access_key(&a, TBUF_ELEMENT_CONSUMER);
	for (try = 0; try < TRIES; try++)
		if (tbuf_access_do(&a, NULL, NULL) == TBUF_COMMITTED)
			break;
	if (try == TRIES)
		(void)tbuf_access_release(&a, NULL);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return (0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size }, todo;
	uint64_t count = 1 + input_take(&in, 1) % 3, all, list;
	uint32_t value = (uint32_t)input_take(&in, 1) % (VALUE_MOST + 1);
	uint32_t body = HEAD + KEY + ((value + 7) & ~7u);
	size_t n = input_take(&in, 1);
	struct tbuf_sets sets;
	unsigned char *at, *first;

	todo = (struct input){ in.at, 2 * n < in.size ? 2 * n : in.size };
	in.at += todo.size;
	in.size -= todo.size;
	all = count * TBUF_ELEMENT_SET * (16 + body);
	/* Both have exactly their size. */
	at = aligned_alloc(16, all);
	list = in.size > all ? (in.size - all) & ~(size_t)7 : 0;
	first = malloc(list + 8);
	FUZZ_CHECK(at != NULL && first != NULL);
	memset(at, 0, all);
	memcpy(at, in.at, in.size < all ? in.size : all);
	memcpy(first, in.at + in.size - list, list);
	FUZZ_CHECK(tbuf_sets_make(&sets, at, all, body));
	(void)tbuf_elements_begin(&sets, first, list);
	while (todo.size >= 2) {
		unsigned operation = (unsigned)input_take(&todo, 1);

		access_one(&sets, value, operation % OPERATIONS,
		    (uint8_t)input_take(&todo, 1));
	}
	free(first);
	free(at);
	return (0);
}
