/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Detects the end of a thread with a lane of its own, by the destructor of a
 * key.  A consumer frees the lanes of threads without the key.
 *
 * The key is made when the process becomes a target, never in a fire.  A fire
 * sets it by stores to the thread's descriptor, as it must call no function of
 * the C library, if the key is one of those that each descriptor has room for.
 * The functions are called by their C11 names: a preloaded provider wraps the
 * pthread functions and would fire from here.
 */
#include "base/optimize_size.h"

#include <threads.h>

#include "base/libc_facts.h"
#include "target/lane/thread_lane.h"
#include "target/self/thread.h"

#define KEYS_AT_HAND	32u

/*
 * Values of keys in a thread's descriptor, as glibc has them.  `blocks' begins
 * with the address of `values'.  Destructors are called if `used' is set.
 */
struct values {
	struct {
		uintptr_t sequence;
		void *value;
	} values[KEYS_AT_HAND];
	void *blocks[32];
	bool used;
};

/* Bytes that a descriptor has at least after the thread's id. */
#define AFTER_ID	1024u

static tss_t key TBUF_FORKED;
static uint32_t made TBUF_FORKED;
static ptrdiff_t values_at TBUF_FORKED;	/* from the thread pointer; 0: none */
static uintptr_t sequence TBUF_FORKED;	/* the key's */

static char *
descriptor(ptrdiff_t at)
{
	return ((char *)__builtin_thread_pointer() + at);
}

/* Looks for the key's value, which is set and no other word, after the id. */
static void
values_find(const void *value)
{
	ptrdiff_t id = tbuf_libc_facts()->tid_at, at;
	const struct values *v;
	unsigned i;

	for (i = 0; id != 0 && i < AFTER_ID; i += sizeof(void *)) {
		if (*(void **)(void *)descriptor(id + (ptrdiff_t)i) != value)
			continue;
		at = id + (ptrdiff_t)(i -
		    offsetof(struct values, values[key].value));
		v = (const void *)descriptor(at);
		if (at > id && v->blocks[0] == v && v->used) {
			sequence = v->values[key].sequence;
			values_at = at;
		}
		return;
	}
}

void
tbuf_thread_exit_key_init(void (*end)(void *))
{
	static char unique;

	if (tbuf_load(&made) != 0 || tss_create(&key, end) != thrd_success)
		return;
	if (key < KEYS_AT_HAND && tss_set(key, &unique) == thrd_success) {
		values_find(&unique);
		(void)tss_set(key, NULL);
	}
	tbuf_store_release(&made, 1);
}

void
tbuf_thread_exit_key_set(void)
{
	struct values *v;

	if (tbuf_load_acquire(&made) == 0 || values_at == 0)
		return;
	v = (void *)descriptor(values_at);
	if (v->blocks[0] != v)
		return;
	v->values[key].sequence = sequence;
	v->values[key].value = &tbuf_thread;
	v->used = true;
}

/* The destructor's code may be unloaded. */
__attribute__((destructor))
static void
unload(void)
{
	if (tbuf_load(&made) != 0) {
		tbuf_store(&made, 0);
		tss_delete(key);
	}
}
