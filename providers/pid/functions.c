/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "functions.h"
#include "usdt/debug_file.h"
#include "usdt/note.h"
#include "usdt/section.h"

#define PLTS_MAX	8u
#define NAME_MAX_BYTES	16384u	/* each symbol may have the longest name */
#define AHEAD		8u	/* names are fetched before they are read */

const char pid_not_text[] =
    "its code is not in segments that are only read and executed";

struct piece {
	uintptr_t start, end;
	const char *name;	/* NULL: of the tables of unwinders */
	unsigned badness;	/* of the name */
	bool is_signal;
	bool is_unknown;	/* its landing pads may be anywhere */
};

struct span {
	uintptr_t start, end;
};

/* The functions while they are collected. */
struct pieces {
	struct pid_functions *f;
	struct piece *all;
	size_t n, room;
	struct piece *ranges;	/* of unwinders, ascending */
	size_t nranges, ranges_room;
	struct span plts[PLTS_MAX];	/* sections of code that linkers make */
	unsigned nplts;
	struct span segment;	/* of the last address, as far as is known */
	bool failed;		/* out of memory */
	pid_want *want;
	void *arg;
};

/* ------------------------------------------------------------ names */

#define COLD		((unsigned)INT32_MAX - 1)	/* badness of a part */
#define NO_NAME		((unsigned)INT32_MAX)

/* Characters of names, of which most are plain. */
enum kind { PLAIN, DOT, END, UNFIT };

/* A field of a description cannot have the unfit ones. */
static const uint8_t kinds[256] = {
	['.'] = DOT, ['\0'] = END, ['@'] = END, [' '] = UNFIT,
	['\t' ... '\r'] = UNFIT, [','] = UNFIT, [':'] = UNFIT,
	['\177'] = UNFIT
};

/*
 * Cuts the version of a symbol off its name.  Returns false if the name cannot
 * be a field of a description.  Fewer underscores make a better name: _go and
 * go are go.
 */
static bool
take_name(char *name, unsigned *badness)
{
	enum kind kind = PLAIN;
	size_t n;

	*badness = (unsigned)strspn(name, "_");
	for (n = 0; n < NAME_MAX_BYTES; n++) {
		kind = kinds[(unsigned char)name[n]];
		if (kind > DOT)
			break;
		if (kind == DOT && strncmp(name + n, ".cold", 5) == 0)
			*badness = COLD;
	}
	if (n == 0 || kind != END || (name[n] != '\0' &&
	    strnlen(name, NAME_MAX_BYTES) == NAME_MAX_BYTES))
		return (false);
	name[n] = '\0';
	return (true);
}

static int
by_place(const void *a, const void *b)
{
	const struct piece *left = a, *right = b;

	if (left->start != right->start)
		return (left->start < right->start ? -1 : 1);
	if (left->badness != right->badness)
		return (left->badness < right->badness ? -1 : 1);
	return (left->name == NULL ? 0 : strcmp(left->name, right->name));
}

/* Returns the end of the pieces in a row that are sorted. */
static size_t
sorted_from(const struct pieces *p, size_t i)
{
	for (i++; i < p->n; i++)
		if (by_place(&p->all[i - 1], &p->all[i]) > 0)
			break;
	return (i);
}

/* Merges two sorted rows; of equal pieces, the first row's come first. */
static void
merge_rows(struct pieces *p, size_t n)
{
	struct piece *rows, *out = p->all;
	const size_t size = n * sizeof(*rows);
	size_t i = 0, k = n;

	rows = usdt_table(size);
	if (rows == NULL) {
		p->failed = true;
		return;
	}
	memcpy(rows, p->all, size);
	while (i < n)
		*out++ = k < p->n && by_place(&rows[i], &p->all[k]) > 0 ?
		    p->all[k++] : rows[i++];
	usdt_table_free(rows, size);
}

/* ------------------------------------------------------------ sorting */

#define DIGIT		11u	/* bits, of three digits */
#define DIGITS		(1u << DIGIT)

struct key {
	uint32_t offset;	/* of a piece's start in the text */
	uint32_t index;
};

/* Sorts keys by one digit, in the order that they have if it is the same. */
static void
sort_digit(const struct key *from, struct key *to, size_t n, unsigned shift)
{
	uint32_t places[DIGITS] = { 0 }, place = 0, count;
	size_t i;

	for (i = 0; i < n; i++)
		places[from[i].offset >> shift & (DIGITS - 1)]++;
	for (i = 0; i < DIGITS; i++) {
		count = places[i];
		places[i] = place;
		place += count;
	}
	for (i = 0; i < n; i++)
		to[places[from[i].offset >> shift & (DIGITS - 1)]++] = from[i];
}

/* Sorts pieces by their starts alone.  Returns false if memory is short. */
static bool
sort_starts(struct pieces *p)
{
	const size_t size = 2 * p->n * sizeof(struct key);
	const size_t bytes = p->room * sizeof(*p->all);
	struct key *keys = usdt_table(size), *others;
	struct piece *all = usdt_table(bytes), *old = p->all;
	size_t i;

	if (keys != NULL && all != NULL) {
		others = keys + p->n;
		for (i = 0; i < p->n; i++)
			keys[i] = (struct key){ (uint32_t)(old[i].start -
			    p->f->text.start), (uint32_t)i };
		sort_digit(keys, others, p->n, 0);
		sort_digit(others, keys, p->n, DIGIT);
		sort_digit(keys, others, p->n, 2 * DIGIT);
		for (i = 0; i < p->n; i++)
			all[i] = old[others[i].index];
		p->all = all;
		all = old;
	}
	usdt_table_free(all, bytes);
	usdt_table_free(keys, size);
	return (p->all != old);
}

/* Keeps one piece of those in a row with one start and one name. */
static void
drop_copies(struct pieces *p, struct piece *first, const struct piece *end)
{
	struct piece *last = &p->all[p->n++];

	*last = *first;
	while (++first < end)
		if (by_place(last, first) != 0) {
			last = &p->all[p->n++];
			*last = *first;
		} else if (first->end > last->end)
			last->end = first->end;
}

/* Sorts pieces with one start by their names. */
static void
sort_names(struct pieces *p)
{
	struct piece *first = p->all, *end = p->all + p->n, *one;
	bool sorted;

	for (p->n = 0; first < end; first = one) {
		sorted = true;
		for (one = first + 1; one < end &&
		    one->start == first->start; one++) {
			if (end - one > 2 * (ptrdiff_t)AHEAD)
				__builtin_prefetch(one[2 * AHEAD].name);
			sorted = sorted && by_place(one - 1, one) <= 0;
		}
		if (end - one > 2 * (ptrdiff_t)AHEAD)
			__builtin_prefetch(one[2 * AHEAD].name);
		if (!sorted)
			qsort(first, (size_t)(one - first), sizeof(*first),
			    by_place);
		drop_copies(p, first, one);
	}
}

/* The tables of unwinders are sorted already, and are added to symbols. */
static void
sort(struct pieces *p)
{
	size_t n = p->n == 0 ? 0 : sorted_from(p, 0);

	if (n < p->n && sorted_from(p, n) == p->n)
		merge_rows(p, n);
	else if (n < p->n && p->n <= UINT32_MAX && sort_starts(p))
		sort_names(p);
	else if (n < p->n)
		p->failed = true;
}

/* ------------------------------------------------------------ pieces */

static void
add(struct pieces *p, struct piece one)
{
	if (p->n < p->room)
		p->all[p->n++] = one;
	else
		p->failed = true;
}

/* Makes room for pieces. */
static void
reserve(struct pieces *p, size_t n)
{
	p->n = 0;
	p->room = n;
	if ((p->all = usdt_table(n * sizeof(*p->all))) == NULL) {
		p->room = 0;
		p->failed = true;
	}
}

/*
 * Returns the bytes from an address to the end of its segment, as
 * patch_text_left() does: most are in that of the address before.
 */
static size_t
left_in_text(struct pieces *p, uintptr_t at)
{
	struct span *s = &p->segment;
	uintptr_t start = at, end;

	if (at >= s->start && at < s->end)
		return (s->end - at);
	if (!patch_text_find(&p->f->text, &start, &end) || start != at)
		return (0);
	*s = (struct span){ at, end };
	return (end - at);
}

/*
 * Static symbols have their versions in their names: name@@VERSION.  Those that
 * begin with a dollar sign say where aarch64's code has data in it.
 */
static void
add_symbol(struct pieces *p, const struct usdt_symbols *s,
    const Elf64_Sym *symbol)
{
	uintptr_t at = p->f->text.base + symbol->st_value;
	size_t left = left_in_text(p, at);
	unsigned type = ELF64_ST_TYPE(symbol->st_info), badness;
	char *name = s->names + symbol->st_name;

	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS ||
	    symbol->st_name >= s->names_size || *name == '$' || left == 0)
		return;
	patch_map_add(&p->f->map, at, 0);
	if ((type == STT_FUNC || type == STT_GNU_IFUNC) &&
	    take_name(name, &badness))
		add(p, (struct piece){ .start = at, .end = at +
		    (symbol->st_size < left ? symbol->st_size : left),
		    .name = name, .badness = badness });
}

static void
add_symbols(struct pieces *p, const struct usdt_symbols *s)
{
	const Elf64_Sym *next;
	size_t i;

	for (i = 0; i < s->count; i++) {
		/* Names are anywhere in their table. */
		next = &s->all[s->count - i > AHEAD ? i + AHEAD : i];
		if (next->st_name < s->names_size)
			__builtin_prefetch(s->names + next->st_name);
		add_symbol(p, s, &s->all[i]);
	}
}

/* Sorted pieces, of which each is asked for after those before it. */
struct cursor {
	struct piece *all;
	size_t n, next;
};

/* Returns the last piece that begins at or before an address, or NULL. */
static struct piece *
piece_of(struct cursor *c, uintptr_t at)
{
	while (c->next < c->n && c->all[c->next].start <= at)
		c->next++;
	return (c->next > 0 && at < c->all[c->next - 1].end ?
	    &c->all[c->next - 1] : NULL);
}

/* A range of which only the start is known goes on to the next one. */
static void
end_ranges(struct pieces *p)
{
	uintptr_t end = p->f->text.end, stop;
	size_t i;

	for (i = p->n; i-- > 0; end = p->all[i].start)
		if (p->all[i].is_unknown) {
			stop = p->all[i].start + patch_text_left(&p->f->text,
			    p->all[i].start);
			p->all[i].end = stop < end ? stop : end;
		}
}

static void
find_ranges(struct pieces *p)
{
	size_t n = patch_functions_count(&p->f->text), i;
	struct patch_map *m = &p->f->map;
	struct patch_range range;

	reserve(p, n);
	for (i = 0; i < n; i++)
		if (!patch_functions_get(&p->f->text, i, &range)) {
			if (left_in_text(p, range.start) > 0)
				add(p, (struct piece){ .start = range.start,
				    .badness = NO_NAME, .is_unknown = true });
		} else {
			if (range.pads != 0) {
				if (m->pads_end == 0)
					m->pads_first = i;
				m->pads_end = i + 1;
			}
			if (range.start < range.end)
				add(p, (struct piece){ .start = range.start,
				    .end = range.end, .badness = NO_NAME,
				    .is_signal = range.is_signal });
		}
	m->has_no_pads = m->pads_end == 0;
	sort(p);
	end_ranges(p);
	p->ranges = p->all;
	p->nranges = p->n;
	p->ranges_room = p->room;
	p->all = NULL;
	p->n = p->room = 0;
}

static int
by_address(const void *a, const void *b)
{
	const uintptr_t *left = a, *right = b;

	return (*left < *right ? -1 : *left > *right);
}

/* Finds the places of the provider usdt, which may come later. */
static void
find_sites(struct pieces *p, const struct usdt_object *file)
{
	struct pid_functions *f = p->f;
	struct usdt_note note;
	size_t at = 0, n = 0;

	while (usdt_note_next(file, &at, &note))
		n++;
	if (n == 0)
		return;
	f->sites = calloc(n, sizeof(*f->sites));
	if (f->sites == NULL) {
		p->failed = true;
		return;
	}
	for (at = 0; f->map.nsites < n && usdt_note_next(file, &at, &note);)
		f->sites[f->map.nsites++] = f->text.base + note.address;
	qsort(f->sites, n, sizeof(*f->sites), by_address);
	f->map.sites = f->sites;
}

static void
find_symbols(struct pieces *p, int fd)
{
	struct usdt_symbols *tables = p->f->symbols;
	struct usdt_object file;
	size_t n = p->nranges;
	unsigned i;
	int debug;

	usdt_symbols_read(&tables[0], fd);
	usdt_symbols_read_loader(&tables[2], fd);
	(void)usdt_object_read(&file, fd);
	if (tables[0].count == 0 && (debug = usdt_debug_open(file.build_id,
	    file.build_id_size)) != -1) {
		usdt_symbols_read(&tables[1], debug);
		close(debug);
	}
	find_sites(p, &file);
	usdt_object_free(&file);
	for (i = 0; i < PID_TABLES; i++)
		n += tables[i].count;
	reserve(p, n);
	for (i = 0; i < PID_TABLES; i++)
		add_symbols(p, &tables[i]);
	sort(p);
}

/* ------------------------------------------------------------ merging */

/* Keeps all names of functions as aliases. */
static void
keep_aliases(struct pieces *p)
{
	struct pid_functions *f = p->f;
	size_t i;

	f->aliases = reallocarray(NULL, p->n + 1, sizeof(*f->aliases));
	if (f->aliases == NULL) {
		p->failed = true;
		return;
	}
	for (i = 0; i < p->n; i++)
		if (f->naliases == 0 || p->all[i].start !=
		    f->aliases[f->naliases - 1].address ||
		    strcmp(p->all[i].name,
		    f->aliases[f->naliases - 1].name) != 0)
			f->aliases[f->naliases++] = (struct pid_alias){
			    p->all[i].start, p->all[i].name };
}

/* Makes one piece of those with one address. */
static void
merge(struct pieces *p)
{
	size_t i, n = 0;

	for (i = 0; i < p->n; i++)
		if (n > 0 && p->all[n - 1].start == p->all[i].start) {
			if (p->all[i].end > p->all[n - 1].end)
				p->all[n - 1].end = p->all[i].end;
		} else
			p->all[n++] = p->all[i];
	p->n = n;
}

/* Symbols of assembly may have no size, and then end with their range. */
static void
complete(struct pieces *p)
{
	struct cursor ranges = { p->ranges, p->nranges, 0 };
	const struct piece *range;
	struct piece *one;
	size_t i;

	for (i = 0; i < p->n; i++) {
		one = &p->all[i];
		range = piece_of(&ranges, one->start);
		if (range == NULL)
			continue;
		one->is_signal = range->is_signal;
		one->is_unknown = range->is_unknown;
		if (one->end == one->start)
			one->end = range->end;
	}
}

static bool
in_plt(const struct pieces *p, uintptr_t at)
{
	unsigned i;

	for (i = 0; i < p->nplts; i++)
		if (at >= p->plts[i].start && at < p->plts[i].end)
			return (true);
	return (false);
}

/* Adds the ranges of unwinders that have no symbol. */
static void
add_ranges(struct pieces *p)
{
	struct cursor all = { p->all, p->n, 0 };
	size_t i;

	for (i = 0; i < p->nranges; i++) {
		if (piece_of(&all, p->ranges[i].start) == NULL &&
		    !in_plt(p, p->ranges[i].start))
			add(p, p->ranges[i]);
		all.all = p->all;
	}
	sort(p);
}

static const char *
problem_of(const struct piece *p)
{
	if (p->is_signal)
		return ("a signal's frame");
	if (p->is_unknown)
		return ("its landing pads are not understood");
	if (p->name != NULL && (strcmp(p->name, "vfork") == 0 ||
	    strcmp(p->name, "__vfork") == 0))
		return ("its parent and its child return on one stack");
	if (p->name != NULL && strncmp(p->name, "__syscall_cancel_arch",
	    21) == 0)
		return ("signal handlers compare its addresses");
	return (NULL);
}

/* Makes the functions of the map; none overlaps the next one. */
static void
make_codes(struct pieces *p)
{
	struct patch_map *m = &p->f->map;
	const struct piece *one;
	uintptr_t end;
	size_t i;

	p->f->codes_size = (p->n + 1) * sizeof(*m->codes);
	m->codes = usdt_table(p->f->codes_size);
	if (m->codes == NULL) {
		p->failed = true;
		return;
	}
	for (i = 0; i < p->n; i++) {
		one = &p->all[i];
		end = one->end;
		if (p->n - i > AHEAD)
			__builtin_prefetch(one[AHEAD].name);
		if (i + 1 < p->n && p->all[i + 1].start < end)
			end = p->all[i + 1].start;
		if (end > one->start && !in_plt(p, one->start))
			m->codes[m->ncodes++] = (struct patch_code){
			    .start = one->start, .end = end,
			    .name = one->name, .problem = problem_of(one),
			    .is_cold = one->badness == COLD };
	}
}

/* ------------------------------------------------------------ sections */

/* Refuses functions with restartable sequences: copies would not restart. */
static void
refuse_sequences(struct pid_functions *f, const Elf64_Shdr *section)
{
	uintptr_t at = f->text.base + section->sh_addr, start;
	struct patch_code *code;
	uint64_t offset;

	for (offset = 0; section->sh_size - offset >= 32 &&
	    patch_readable(&f->text, at + offset, 32); offset += 32) {
		memcpy(&start, (const void *)(at + offset + 8),
		    sizeof(start));
		code = patch_map_code(&f->map, start + f->map.slide);
		if (code != NULL)
			code->problem = "it has a restartable sequence";
	}
}

/* Pads of -fpatchable-function-entry, and calls of -pg -mrecord-mcount. */
static bool
is_list(const char *name)
{
	return (strcmp(name, "__patchable_function_entries") == 0 ||
	    strcmp(name, "__mcount_loc") == 0);
}

static const char *
read_sections(struct pieces *p, const struct usdt_sections *s)
{
	struct patch_map *m = &p->f->map;
	uintptr_t start;
	const char *name;
	size_t i;

	for (i = 0; i < s->count; i++) {
		name = s->all[i].sh_name < s->names_size ? s->names +
		    s->all[i].sh_name : "";
		if (strcmp(name, ".gopclntab") == 0)
			return ("it is a program of Go, whose stacks move");
		start = p->f->text.base + s->all[i].sh_addr;
		if (strncmp(name, ".plt", 4) == 0 && p->nplts < PLTS_MAX)
			p->plts[p->nplts++] = (struct span){ start,
			    start + s->all[i].sh_size };
		else if (is_list(name) && m->nlists < PATCH_LISTS)
			m->lists[m->nlists++] = (struct patch_list){ start,
			    start + s->all[i].sh_size };
	}
	patch_map_add(&p->f->map, p->f->text.base + s->header.e_entry,
	    PATCH_CALLED);
	return (NULL);
}

static const char *
collect(struct pieces *p, const struct usdt_sections *s)
{
	const Elf64_Shdr *sequences;
	const char *problem = read_sections(p, s);

	if (problem != NULL)
		return (problem);
	if (!patch_functions_known(&p->f->text))
		return ("its tables of unwinders are not understood");
	find_ranges(p);
	find_symbols(p, s->fd);
	keep_aliases(p);
	merge(p);
	complete(p);
	add_ranges(p);
	make_codes(p);
	if (p->failed)
		return ("out of memory");
	if ((sequences = usdt_sections_find(s, "__rseq_cs")) != NULL)
		refuse_sequences(p->f, sequences);
	if (p->want != NULL && !p->want(p->arg, p->f))
		return (NULL);
	return (patch_map_make(&p->f->map));
}

const char *
pid_functions_find(struct pid_functions *f, const struct pid_memory *mapped,
    int fd, pid_want *want, void *arg)
{
	struct pieces p = { .f = f, .want = want, .arg = arg };
	struct usdt_sections sections;
	const char *problem;

	memset(f, 0, sizeof(*f));
	if (!patch_text_all(&mapped->info, &f->text))
		return (pid_not_text);
	if ((problem = patch_map_begin(&f->map, &f->text)) != NULL)
		return (problem);
	f->map.is_fixed = mapped->is_fixed;
	f->map.slide = mapped->slide;
	f->map.stays = !mapped->is_passing;
	problem = usdt_sections_read(&sections, fd);
	if (problem == NULL)
		problem = collect(&p, &sections);
	usdt_sections_free(&sections);
	usdt_table_free(p.all, p.room * sizeof(*p.all));
	usdt_table_free(p.ranges, p.ranges_room * sizeof(*p.ranges));
	return (problem);
}

void
pid_functions_free(struct pid_functions *f)
{
	unsigned i;

	patch_map_free(&f->map);
	for (i = 0; i < PID_TABLES; i++)
		usdt_symbols_free(&f->symbols[i]);
	usdt_table_free(f->map.codes, f->codes_size);
	free(f->aliases);
	free(f->sites);
}

const struct pid_alias *
pid_alias_first(const struct pid_functions *f, uintptr_t address)
{
	size_t low = 0, high = f->naliases, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (f->aliases[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return (low < f->naliases && f->aliases[low].address == address ?
	    &f->aliases[low] : NULL);
}

void
pid_offset(const struct pid_functions *f, uintptr_t address,
    char name[PID_OFFSET])
{
	uintptr_t offset = address - f->text.low, rest = offset;
	char *digit = name + 1;

	*name = '+';
	for (digit++; (rest >>= 4) != 0; digit++)
		continue;
	*digit = '\0';
	do
		*--digit = "0123456789abcdef"[offset & 0xf];
	while ((offset >>= 4) != 0);
}
