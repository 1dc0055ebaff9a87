/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Bytes of elements at a fire.  A clause reads a copy of its own, since those
 * in the session's memory may change, or be freed, at any time.  A structure's
 * copy has its array and key with it, so that its members can be stored to:
 * then the element of that key gets these bytes, and so does the copy.
 */
#include "base/optimize_size.h"

#include "machine/internal.h"
#include "target/clause/clause.h"

/* A structure's copy among the temporaries; key and bytes are after it. */
struct copy {
	uint32_t scope, id;
	uint64_t key_size;
};

/* The parts of a copy, within the temporaries. */
struct found {
	enum tbuf_scope scope;
	uint32_t id;
	struct tbuf_code_variable array;
	const uint8_t *key;
	uint32_t key_size;
	uint8_t *bytes;
};

static uint32_t
padded(uint32_t size)
{
	return ((size + 7) & ~7u);
}

int
tbuf_element_refer(struct tbuf_run *run, enum tbuf_scope scope, uint32_t id,
    const struct tbuf_code_variable *array, uint64_t *address)
{
	struct tbuf_machine *m = &run->machine;
	const struct copy copy = { scope, id, m->key.used };
	uint32_t front = array->text != 0 ? 0 :
	    (uint32_t)sizeof(copy) + padded(m->key.used);
	uint32_t size = front + padded(array->size);
	uint8_t *bytes;
	bool present;
	int answer;

	if ((answer = tbuf_work(m, size)) != 0 ||
	    (answer = tbuf_memory_temporary(m, size, &bytes, address)) != 0)
		return (answer);
	if (front != 0) {
		tbuf_bytes_copy(bytes, (const uint8_t *)&copy, sizeof(copy));
		tbuf_bytes_copy(bytes + sizeof(copy), m->key.bytes,
		    m->key.used);
		*address = tbuf_address(TBUF_OBJECT_ELEMENT,
		    (uint32_t)*address / 8, 0);
	}
	answer = tbuf_array_copy(run, scope, id, array,
	    (uint64_t *)(void *)(bytes + front), &present);
	if (!present)
		*address = 0;
	return (answer);
}

/*
 * Finds a copy.  It is checked: a program may pass any index, or write to it.
 */
static bool
copy_find(struct tbuf_run *run, uint32_t index, struct found *f)
{
	const struct tbuf_buffer *all = &run->machine.temporary;
	uint32_t at = 8 * index, left;
	struct copy copy;

	if (at > all->used || all->used - at < sizeof(copy))
		return (false);
	tbuf_bytes_copy((uint8_t *)&copy, all->bytes + at, sizeof(copy));
	left = all->used - at - (uint32_t)sizeof(copy);
	if (copy.scope < TBUF_SCOPE_ARRAY || copy.scope >= TBUF_SCOPES ||
	    !tbuf_variable_place(run, copy.scope, copy.id, &f->array) ||
	    copy.key_size > run->machine.key.room ||
	    padded((uint32_t)copy.key_size) > left ||
	    f->array.size > left - padded((uint32_t)copy.key_size))
		return (false);
	f->scope = copy.scope;
	f->id = copy.id;
	f->key = all->bytes + at + sizeof(copy);
	f->key_size = (uint32_t)copy.key_size;
	f->bytes = all->bytes + at + sizeof(copy) + padded(f->key_size);
	return (true);
}

int
tbuf_element_span(struct tbuf_run *run, uint32_t index,
    struct tbuf_span *span)
{
	struct found f;

	if (!copy_find(run, index, &f))
		return (TBUF_FAULT_ADDRESS);
	span->at = f.bytes;
	span->size = f.array.size;
	span->writable = false;
	return (0);
}

int
tbuf_element_write(struct tbuf_run *run, uint32_t index, uint64_t at,
    const uint8_t *from, uint64_t size)
{
	struct tbuf_buffer *key = &run->machine.key;
	struct found f;
	int answer;

	if (!copy_find(run, index, &f) || at > f.array.size ||
	    size > f.array.size - at)
		return (TBUF_FAULT_ADDRESS);
	if (size == 0)
		return (0);
	tbuf_bytes_copy(f.bytes + at, from, size);
	tbuf_bytes_copy(key->bytes, f.key, f.key_size);
	key->used = f.key_size;
	answer = tbuf_array_store_part(run, f.scope, f.id, &f.array, f.bytes,
	    (uint32_t)at, (uint32_t)size);
	key->used = 0;
	return (answer);
}
