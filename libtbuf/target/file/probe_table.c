/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The probe table in the control file.  Only the target writes it; the values
 * that it relies on later (sizes in use, each entry's hash) are in its private
 * memory.
 */
#include "base/optimize_size.h"

#include <sys/mman.h>

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "target/file/file.h"
#include "target/file/probe_table.h"
#include "target/provider.h"
#include "target/self/self.h"

/* Storage is backed by these sizes, which divide the tables' sizes. */
#define STEP		TBUF_PAGE
#define PROBES_STEP	8192u

#define TEXTS		20u	/* least bytes of strings of most probes */

/*
 * Index + 1 of the probes by `hashes'; open addressing, at most half full.
 * When full, both are mapped again at twice the size, so that a low memory
 * limit does not stop a starting program.  With few probes, as in the libc
 * provider, they are in a page that is written anyway.
 */
#define SLOTS_FIRST	256u
static uint32_t first_slots[SLOTS_FIRST] TBUF_FORKED;
static struct tbuf_series_hash first_hashes[SLOTS_FIRST / 2] TBUF_FORKED;
static struct tbuf_series_hash *hashes = first_hashes;
static uint32_t *slots = first_slots;
static uint32_t slots_used = SLOTS_FIRST;

static uint32_t nprobes TBUF_FORKED;
static uint32_t nhashed TBUF_FORKED;	/* probes that are in `slots' */

/* The copied probes, whose hashes are taken when another one is added. */
static const struct tbuf_series *copied;

static uint32_t lost TBUF_FORKED;	/* sites that found no room for a
					 * probe */
static uint32_t strings TBUF_FORKED = 1;
static uint64_t mappings TBUF_FORKED;	/* TBUF_MAPPINGS() of the stored
					 * mappings */
static struct tbuf_extent backed TBUF_FORKED;

static int busy TBUF_FORKED;

void
tbuf_table_lock(void)
{
	while (!tbuf_cas(&busy, 0, 1))
		sched_yield();
}

void
tbuf_table_unlock(void)
{
	tbuf_store_release(&busy, 0);
}

bool
tbuf_table_locked(void)
{
	return (tbuf_load(&busy) != 0);
}

/* Sizes of a candidate's other names, as in the heap. */
struct sizes {
	size_t function, name;		/* with the NULs */
};

static void
sizes_take(const struct tbuf_names *n, struct sizes *sizes)
{
	sizes->function = n->function == NULL ? 0 : strlen(n->function) + 1;
	sizes->name = strlen(n->name) + 1;
}

/* FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/ (32 bits). */
static uint32_t
hash_bytes(uint32_t hash, const void *data, size_t size)
{
	const unsigned char *p = data;

	while (size-- > 0)
		hash = (hash ^ *p++) * 16777619u;
	return (hash);
}

uint32_t
tbuf_table_count(void)
{
	return (nprobes);
}

void
tbuf_table_group(struct tbuf_group *group, const char *provider,
    const char *module)
{
	*group = (struct tbuf_group){ .provider = provider, .module = module,
	    .provider_size = strlen(provider) + 1,
	    .module_size = strlen(module) + 1 };
	group->hash = hash_bytes(hash_bytes(2166136261u, provider,
	    group->provider_size), module, group->module_size);
}

/* Omits the function: TBUF_ENABLED may search for any. */
static uint32_t
hash_names(const struct tbuf_group *group, const struct tbuf_names *n,
    const struct sizes *sizes)
{
	return (hash_bytes(group->hash, n->name, sizes->name));
}

/* Returns the bytes of `n' slots and the hashes after them. */
static size_t
slots_size(uint32_t n)
{
	return (n * sizeof(*slots) + n / 2 * sizeof(*hashes));
}

static void
slot_put(uint32_t *to, uint32_t n, uint32_t index, uint32_t hash)
{
	uint32_t at = hash & (n - 1);

	while (to[at] != 0)
		at = (at + 1) & (n - 1);
	to[at] = index + 1;
}

/*
 * Maps n slots, at least twice as many as before.  A child that another thread
 * forks meanwhile finds at least the number of slots that it uses, half of them
 * empty, and hashes of all its probes.
 */
static bool
slots_grow(uint32_t n)
{
	size_t size = slots_size(slots_used);
	uint32_t i;
	void *before = slots == first_slots ? NULL : slots;
	uint32_t *more;

	more = mmap(NULL, slots_size(n), PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (more == MAP_FAILED)
		return (false);
	memcpy(more + n, hashes, nhashed * sizeof(*hashes));
	for (i = 0; i < nhashed; i++)
		slot_put(more, n, i, hashes[i].all);
	tbuf_store_release(&hashes,
	    (struct tbuf_series_hash *)(void *)(more + n));
	tbuf_store_release(&slots, more);
	tbuf_store_release(&slots_used, n);
	if (before != NULL)
		munmap(before, size);
	return (true);
}

/* Takes the hashes of a copied series; returns false without memory. */
static bool
series_hash(void)
{
	for (; nhashed < nprobes; nhashed++) {
		if (2 * nhashed + 2 > slots_used && !slots_grow(2 * slots_used))
			return (false);
		hashes[nhashed] = copied->hashes[nhashed];
		slot_put(slots, slots_used, nhashed, hashes[nhashed].all);
	}
	return (true);
}

/* Returns true if a probe has these names; a NULL function matches any. */
static bool
names_are(const struct tbuf_view *view, uint32_t index,
    const struct tbuf_names *names)
{
	const struct tbuf_probe_entry *entry = tbuf_view_probe(view, index);

	return (tbuf_view_text_is(view, entry->provider, names->provider) &&
	    tbuf_view_text_is(view, entry->module, names->module) &&
	    (names->function == NULL ||
	    tbuf_view_text_is(view, entry->function, names->function)) &&
	    tbuf_view_text_is(view, entry->name, names->name));
}

static bool
is_probe(const struct tbuf_view *view, uint32_t index,
    const struct tbuf_candidate *c)
{
	const struct tbuf_probe_entry *entry = tbuf_view_probe(view, index);

	return (entry->nargs == c->nargs && entry->alias == c->alias &&
	    memcmp(entry->types, c->types, c->nargs) == 0 &&
	    names_are(view, index, &c->names));
}

unsigned
tbuf_table_find(const struct tbuf_names *wanted, uint32_t *index)
{
	struct tbuf_view view = tbuf_target_view();
	struct tbuf_group group;
	unsigned found = 0;
	struct sizes sizes;
	uint32_t hash, i;

	tbuf_table_group(&group, wanted->provider, wanted->module);
	sizes_take(wanted, &sizes);
	hash = hash_names(&group, wanted, &sizes);
	(void)series_hash();
	for (i = 0; i < nhashed; i++)
		if (hashes[i].names == hash && names_are(&view, i, wanted) &&
		    found++ == 0)
			*index = i;
	return (found);
}

/* Backs a table, at `start' of the file, up to `need' bytes. */
static bool
back(uint32_t start, uint32_t *done, uint32_t need, uint32_t step)
{
	uint32_t more;

	if (need <= *done)
		return (true);
	more = (need - *done + step - 1) / step * step;
	if (tbuf_file_back(start + *done, more) != 0)
		return (false);
	*done += more;
	return (true);
}

/* Makes room for n more probes with `size' bytes of strings. */
static bool
tables_back(const struct tbuf_tables *t, uint32_t n, size_t size)
{
	if (n > t->entries - nprobes || size > t->strings_size - strings)
		return (false);
	n += nprobes;
	return (back(t->enable, &backed.enable,
	    n * (uint32_t)sizeof(uint32_t), STEP) &&
	    back(t->probes, &backed.probes,
	    n * (uint32_t)sizeof(struct tbuf_probe_entry), PROBES_STEP) &&
	    back(t->strings, &backed.strings, strings + (uint32_t)size,
	    STEP));
}

static bool
room_make(const struct tbuf_tables *t, size_t size)
{
	return (tables_back(t, 1, size) && (2 * nprobes + 2 <= slots_used ||
	    slots_grow(2 * slots_used)));
}

/* Without room for them now, each is tried later. */
void
tbuf_table_expect(uint32_t more)
{
	const struct tbuf_view view = tbuf_target_view();
	uint32_t n = nprobes + more, wide;

	if (!tables_back(&view.tables, more, more * TEXTS))
		return;
	for (wide = slots_used; wide < 2 * n;)
		wide *= 2;
	if (wide > slots_used)
		(void)slots_grow(wide);
}

/* Returns a string's offset in the heap; the string at `like' may be equal. */
static uint32_t
intern(const struct tbuf_view *view, const char *text, size_t size,
    uint32_t like)
{
	uint32_t at = strings;

	unsigned char *heap = view->base + view->tables.strings;

	/* A string at `like' is stored before `strings'. */
	if (like != 0 && like < at && size <= at - like &&
	    memcmp(heap + like, text, size) == 0)
		return (like);
	memcpy(heap + at, text, size);
	strings += (uint32_t)size;
	tbuf_store_release(&tbuf_view_control(view)->strings, strings);
	return (at);
}

/*
 * The last probe's strings are often equal, and the name of the one before it:
 * entry and return take turns.
 */
static void
group_intern(const struct tbuf_view *view, struct tbuf_group *g,
    const struct tbuf_probe_entry *last)
{
	if (g->provider_at == 0)
		g->provider_at = intern(view, g->provider, g->provider_size,
		    last->provider);
	if (g->module_at == 0)
		g->module_at = intern(view, g->module, g->module_size,
		    last->module);
}

static void
fill(const struct tbuf_view *view, uint32_t index,
    const struct tbuf_candidate *c, struct tbuf_group *group,
    const struct sizes *sizes)
{
	static const struct tbuf_probe_entry none;
	struct tbuf_probe_entry *entry = tbuf_view_probe(view, index);
	const struct tbuf_probe_entry *last = index == 0 ? &none : entry - 1;
	const struct tbuf_names *n = &c->names;

	group_intern(view, group, last);
	entry->provider = group->provider_at;
	entry->module = group->module_at;
	entry->function = intern(view, n->function, sizes->function,
	    last->function);
	entry->name = intern(view, n->name, sizes->name, index < 2 ? 0 :
	    entry[-2].name);
	entry->argnames = c->argnames_size == 0 ? 0 :
	    intern(view, c->argnames, c->argnames_size, 0);
	entry->hash = hashes[index].all;
	entry->nargs = (uint8_t)c->nargs;
	memcpy(entry->types, c->types, c->nargs);
	entry->sites = 1;
	entry->selection = c->selection;
	entry->code = c->code;
	entry->alias = c->alias;
}

static int
append(const struct tbuf_view *view, const struct tbuf_candidate *c,
    struct tbuf_group *group, const struct sizes *sizes, uint32_t hash,
    uint32_t names)
{
	struct tbuf_control *control = tbuf_view_control(view);
	uint32_t index = nprobes;

	if (nhashed != index || !room_make(&view->tables, group->provider_size +
	    group->module_size + sizes->function + sizes->name +
	    c->argnames_size)) {
		tbuf_store(&control->lost_probes, ++lost);
		return (-ENOSPC);
	}
	hashes[index].all = hash;
	hashes[index].names = names;
	fill(view, index, c, group, sizes);
	nhashed = ++nprobes;
	slot_put(slots, slots_used, index, hash);
	tbuf_store_release(&tbuf_view_probe(view, index)->ready, 1);
	tbuf_store_release(&control->nprobes, nprobes);
	return ((int)index);
}

int
tbuf_table_add(const struct tbuf_candidate *c)
{
	struct tbuf_view view = tbuf_target_view();
	struct tbuf_probe_entry *entry;
	struct tbuf_group own, *group = c->group;
	uint32_t names, hash, at, i;
	struct sizes sizes;

	if (group == NULL) {
		group = &own;
		tbuf_table_group(group, c->names.provider, c->names.module);
	}
	sizes_take(&c->names, &sizes);
	names = hash_names(group, &c->names, &sizes);
	hash = hash_bytes(hash_bytes(names, c->names.function,
	    sizes.function), c->types, c->nargs);
	(void)series_hash();
	at = hash & (slots_used - 1);
	for (; slots[at] != 0; at = (at + 1) & (slots_used - 1)) {
		i = slots[at] - 1;
		if (hashes[i].all == hash && is_probe(&view, i, c)) {
			entry = tbuf_view_probe(&view, i);
			tbuf_add(&entry->sites, 1);
			/* The selections of a probe's sites are combined. */
			tbuf_store(&entry->selection,
			    tbuf_load(&entry->selection) | c->selection);
			if (entry->code == 0)
				tbuf_store(&entry->code, c->code);
			return ((int)i);
		}
	}
	return (append(&view, c, group, &sizes, hash, names));
}

int
tbuf_table_series(const struct tbuf_series *s)
{
	const struct tbuf_view view = tbuf_target_view();
	struct tbuf_control *control = tbuf_view_control(&view);
	struct tbuf_probe_entry *entry;
	uint32_t at = strings, i;

	if (nprobes != 0)
		return (-EEXIST);
	if (!tables_back(&view.tables, s->nrows, s->texts_size))
		return (-ENOSPC);
	memcpy(view.base + view.tables.strings + at, s->texts, s->texts_size);
	strings += s->texts_size;
	tbuf_store_release(&control->strings, strings);
	for (i = 0; i < s->nrows; i++) {
		entry = tbuf_view_probe(&view, i);
		*entry = s->rows[i];
		entry->provider += at;
		entry->module += at;
		entry->function += at;
		entry->name += at;
		entry->argnames += entry->argnames == 0 ? 0 : at;
		tbuf_store_release(&entry->ready, 1);
	}
	copied = s;
	nprobes = s->nrows;
	tbuf_store_release(&control->nprobes, nprobes);
	return (0);
}

uint32_t
tbuf_table_remove(uint32_t index, uint16_t *code)
{
	const struct tbuf_view view = tbuf_file_view();
	struct tbuf_probe_entry *entry = tbuf_view_probe(&view, index);

	/* Loaded last: the child of a handler that forks finds it zero. */
	if (index >= nprobes || tbuf_load(&tbuf_local->base) == 0)
		return (0);
	tbuf_add(&entry->sites, (uint32_t)-1);
	*code = (uint16_t)tbuf_load(&entry->code);
	return (tbuf_load(&entry->selection));
}

uint32_t
tbuf_table_text(const struct tbuf_view *view, const char *text, uint32_t size)
{
	const struct tbuf_tables *t = &view->tables;

	if (size > t->strings_size / 4 || size > t->strings_size - strings ||
	    !back(t->strings, &backed.strings, strings + size, STEP))
		return (0);
	return (intern(view, text, size, 0));
}

uint32_t
tbuf_table_texts(void)
{
	return (tbuf_load(&strings));
}

void
tbuf_table_leave(const struct tbuf_view *view, const char *text, uint32_t size)
{
	uint32_t at = size == 0 ? 0 : tbuf_table_text(view, text, size);

	if (at == 0)
		return;
	mappings = TBUF_MAPPINGS(at, size);
	tbuf_store_release(&tbuf_view_control(view)->mappings, mappings);
}

void
tbuf_table_extent(struct tbuf_extent *extent)
{
	*extent = backed;
}

void
tbuf_table_claim(struct tbuf_control *control)
{
	control->nprobes = nprobes;
	control->strings = strings;
	control->mappings = mappings;
	control->lost_probes = lost;
}
