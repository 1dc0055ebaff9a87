/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The sites of a loaded object, from the notes in the file it was loaded from.
 */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "debug_file.h"
#include "symbol.h"
#include "usdt.h"

#define TEXTS_MAX	8u

struct loaded {
	struct dl_phdr_info info;
	char *path;			/* of its file */
	const char *module;		/* base name; stays valid */
	struct patch_text texts[TEXTS_MAX];
	unsigned ntexts;
	void *handle;			/* for dlsym(3) */
	struct usdt_symbols symbols;	/* read at the first use */
	bool has_symbols;
	int fd;				/* the file, while it is read */
};

/* ------------------------------------------------------------ objects */

static char *
program_path(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n <= 0)
		return (NULL);
	path[n] = '\0';
	return (strdup(path));
}

/* Returns true if loading the object changes its text. */
static bool
is_relocated(const struct loaded *o)
{
	const ElfW(Phdr) *p = o->info.dlpi_phdr, *end = p + o->info.dlpi_phnum;
	const ElfW(Dyn) *d;

	for (; p < end && p->p_type != PT_DYNAMIC; p++)
		continue;
	if (p == end)
		return (false);
	d = (const void *)(o->info.dlpi_addr + p->p_vaddr);
	for (; d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_TEXTREL || (d->d_tag == DT_FLAGS &&
		    (d->d_un.d_val & DF_TEXTREL) != 0))
			return (true);
	return (false);
}

/* Returns true if a segment with the flags is loaded at these addresses. */
static bool
is_loaded(const struct loaded *o, uintptr_t at, size_t size, unsigned flags)
{
	const ElfW(Phdr) *p = o->info.dlpi_phdr, *end = p + o->info.dlpi_phnum;
	uintptr_t start;

	for (; p < end; p++) {
		start = o->info.dlpi_addr + p->p_vaddr;
		if (p->p_type == PT_LOAD && (p->p_flags & flags) == flags &&
		    at >= start && p->p_memsz >= size &&
		    at - start <= p->p_memsz - size)
			return (true);
	}
	return (false);
}

/* Finds the build ID in a note that is mapped.  Returns its size, or 0. */
static size_t
loaded_build_id(const struct loaded *o, const unsigned char **id)
{
	const ElfW(Phdr) *p = o->info.dlpi_phdr, *end = p + o->info.dlpi_phnum;
	const ElfW(Nhdr) *note;
	size_t at, length;

	for (; p < end; p++) {
		if (p->p_type != PT_NOTE || !is_loaded(o, o->info.dlpi_addr +
		    p->p_vaddr, p->p_memsz, PF_R))
			continue;
		for (at = 0; p->p_memsz - at >= sizeof(*note); at += length) {
			note = (const void *)(o->info.dlpi_addr + p->p_vaddr +
			    at);
			length = sizeof(*note) +
			    (((size_t)note->n_namesz + 3) & ~(size_t)3) +
			    (((size_t)note->n_descsz + 3) & ~(size_t)3);
			if (length > p->p_memsz - at)
				break;
			if (note->n_type != NT_GNU_BUILD_ID ||
			    note->n_namesz != sizeof("GNU") ||
			    memcmp(note + 1, "GNU", sizeof("GNU")) != 0)
				continue;
			*id = (const unsigned char *)(note + 1) + 4;
			return (note->n_descsz);
		}
	}
	return (0);
}

/* Returns true if the file still is the one that was loaded. */
static bool
same_file(const struct loaded *o, const struct usdt_object *file)
{
	const unsigned char *id = NULL;
	size_t size = loaded_build_id(o, &id);

	if (size > USDT_BUILD_ID)
		size = USDT_BUILD_ID;
	return (size == file->build_id_size &&
	    (size == 0 || memcmp(id, file->build_id, size) == 0));
}

/* ------------------------------------------------------------ symbols */

/* Reads the symbols of its file, or, if that is stripped, of its debug file. */
static void
read_symbols(struct loaded *o)
{
	const unsigned char *id = NULL;
	size_t size;
	int fd;

	usdt_symbols_read(&o->symbols, o->fd);
	if (o->symbols.count > 0)
		return;
	size = loaded_build_id(o, &id);
	if ((fd = usdt_debug_open(id, size)) == -1)
		return;
	usdt_symbols_free(&o->symbols);
	usdt_symbols_read(&o->symbols, fd);
	close(fd);
}

static struct usdt_symbols *
symbols_of(struct loaded *o)
{
	if (!o->has_symbols)
		read_symbols(o);
	o->has_symbols = true;
	return (&o->symbols);
}

/*
 * Returns the address of a symbol, or 0.  Only the table of all symbols has
 * static variables; without it, in a stripped object, the loader's table is
 * used.
 */
static uintptr_t
find_symbol(struct loaded *o, const char *name)
{
	const struct usdt_symbols *symbols = symbols_of(o);
	uint64_t address;

	if (symbols->count > 0)
		return (usdt_symbol_find(symbols, name, &address) ?
		    o->info.dlpi_addr + address : 0);
	return (o->handle == NULL ? 0 : (uintptr_t)dlsym(o->handle, name));
}

/* ------------------------------------------------------------ one site */

/* Adds the address of its symbol, which has to be in the object. */
static bool
resolve(struct loaded *o, struct usdt_operand *operand)
{
	char name[256];
	uintptr_t address;

	if (operand->symbol == NULL)
		return (true);
	if (operand->length >= sizeof(name))
		return (false);
	memcpy(name, operand->symbol, operand->length);
	name[operand->length] = '\0';
	operand->symbol = NULL;
	address = find_symbol(o, name);
	if (address == 0 || !is_loaded(o, address, 1, PF_R))
		return (false);
	operand->value += (int64_t)(operand->low ? address & 0xfff : address);
	return (true);
}

static void
take_operands(struct loaded *o, struct usdt_site *s, const char *text)
{
	s->nargs = usdt_operands_count(text);
	if (s->nargs > TBUF_ARGS_MAX)
		s->nargs = TBUF_ARGS_MAX;
	text += strspn(text, " \t");
	for (unsigned i = 0; i < s->nargs; i++)
		if (!usdt_operand_parse(&text, &s->operands[i]))
			return;		/* usdt_note_problem() */
		else if (!resolve(o, &s->operands[i]))
			s->problem = "an operand's symbol is not known";
}

/* Sets the text of a site; without a problem it has room for a jump. */
static void
find_text(const struct loaded *o, struct usdt_site *s)
{
	uintptr_t at = s->patch.place;
	unsigned i;

	if (o->ntexts > 0)
		s->text.low = o->texts[0].low;
	for (i = 0; i < o->ntexts && s->problem == NULL; i++)
		if (at >= o->texts[i].start && at < o->texts[i].end &&
		    o->texts[i].end - at >= PATCH_JUMP) {
			s->text = o->texts[i];
			if (!patch_is_nop(at))
				s->problem = "the site has no nop";
			return;
		}
	if (s->problem == NULL)
		s->problem = "its text is not loaded";
}

/* The loader has the names of exported functions, the table the others. */
static void
function_of(struct loaded *o, uintptr_t at, char name[USDT_FUNCTION])
{
	const char *function = NULL;
	Dl_info info;

	if (dladdr((const void *)at, &info) != 0)
		function = info.dli_sname;
	if (function == NULL)
		function = usdt_symbol_function(symbols_of(o),
		    at - o->info.dlpi_addr);
	*name = '\0';
	/* A field may not have these characters, as Go's names do. */
	if (function != NULL && strlen(function) < USDT_FUNCTION &&
	    function[strcspn(function, " \t\n\v\f\r,:\177")] == '\0')
		strcpy(name, function);
}

/* Returns the group of a note, which it makes if there is none yet. */
static struct usdt_group *
group_of(struct usdt_sites *sites, struct loaded *o,
    const struct usdt_note *note, uintptr_t at)
{
	char function[USDT_FUNCTION];
	struct usdt_group *g, **end = &sites->groups;

	function_of(o, at, function);
	for (; (g = *end) != NULL; end = &g->next)
		if (g->module == o->module &&
		    usdt_probe_has(&g->probe, note) &&
		    strcmp(g->function, function) == 0) {
			usdt_probe_add(&g->probe, note);
			return (g);
		}
	if ((g = calloc(1, sizeof(*g))) == NULL)
		return (NULL);
	if (!usdt_probe_make(&g->probe, note)) {
		free(g);
		return (NULL);
	}
	strcpy(g->function, function);
	g->module = o->module;
	*end = g;
	return (g);
}

static void
take_note(struct usdt_sites *sites, struct loaded *o,
    const struct usdt_object *file, const struct usdt_note *note)
{
	uintptr_t at = o->info.dlpi_addr + note->address, semaphore;
	const char *problem = usdt_note_problem(file, note);
	struct usdt_site **all, *s;

	if ((s = calloc(1, sizeof(*s))) == NULL)
		return;
	all = reallocarray(sites->all, sites->count + 1, sizeof(*all));
	if (all != NULL)
		sites->all = all;
	if (all == NULL ||
	    (s->group = group_of(sites, o, note, at)) == NULL) {
		/* The names may have characters that a line cannot have. */
		usdt_tell(USDT_LIST, "%s at %#jx: not armed: %s\n",
		    o->module, (uintmax_t)(note->address - file->low),
		    problem == NULL ? "out of memory" : problem);
		free(s);
		return;
	}
	all[sites->count++] = s;
	s->problem = problem;
	s->patch.place = at;
	find_text(o, s);
	s->patch.hit = usdt_hit;
	semaphore = o->info.dlpi_addr + note->semaphore;
	if (note->semaphore != 0 && (semaphore & 1) == 0 &&
	    is_loaded(o, semaphore, sizeof(*s->semaphore), PF_W))
		s->semaphore = (uint16_t *)semaphore;
	take_operands(o, s, note->operands);
}

/* ------------------------------------------------------------ all of them */

/* Reports that no site of an object is known. */
static void
tell_all(struct usdt_sites *sites, const char *problem, const struct loaded *o)
{
	sites->problem = problem;
	usdt_tell(USDT_LIST, "%s: not armed: %s\n", o->module, problem);
	usdt_tell(USDT_MISSED, "%s: not armed: %s\n", o->module, problem);
}

/*
 * An object with sites of TBUF_PROBE has probes of these names already.  The
 * loader must not be asked about an object that it is loading.
 */
static void
read_object(struct usdt_sites *sites, struct loaded *o, bool loading)
{
	int fd = open(o->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct usdt_object file;
	struct usdt_note note;
	size_t at = 0;

	if (fd == -1)
		return;
	if (usdt_object_read(&file, fd) == NULL) {
		if (file.notes != NULL && !file.has_sites &&
		    same_file(o, &file)) {
			o->ntexts = patch_texts(&o->info, o->texts,
			    TEXTS_MAX);
			o->fd = fd;
			o->handle = loading ? NULL :
			    dlopen(*o->info.dlpi_name == '\0' ? NULL :
			    o->path, RTLD_LAZY | RTLD_NOLOAD);
			while (usdt_note_next(&file, &at, &note))
				take_note(sites, o, &file, &note);
			if (o->handle != NULL)
				dlclose(o->handle);
			usdt_symbols_free(&o->symbols);
		} else if (file.notes != NULL && !file.has_sites)
			tell_all(sites,
			    "its file is not the one that was loaded", o);
		usdt_object_free(&file);
	}
	close(fd);
}

bool
usdt_find(struct usdt_sites *sites, const struct dl_phdr_info *info,
    bool loading)
{
	struct loaded o = { .info = *info };
	const char *slash;
	size_t i;

	o.path = *info->dlpi_name == '\0' ? program_path() :
	    strdup(info->dlpi_name);
	if (o.path == NULL)
		return (false);
	slash = strrchr(o.path, '/');
	o.module = sites->module = strdup(slash == NULL ? o.path : slash + 1);
	if (o.module != NULL)
		read_object(sites, &o, loading);
	if (loading && is_relocated(&o))
		for (i = 0; i < sites->count; i++)
			sites->all[i]->problem = "its text is relocated";
	free(o.path);
	/* dlsym(3) has left a message for a symbol that was not found. */
	if (!loading)
		(void)dlerror();
	return (sites->count > 0);
}

void
usdt_free(struct usdt_sites *sites)
{
	struct usdt_group *g;
	size_t i;

	for (i = 0; i < sites->count; i++)
		free(sites->all[i]);
	free(sites->all);
	while ((g = sites->groups) != NULL) {
		sites->groups = g->next;
		free(g);
	}
	free(sites->module);
	*sites = (struct usdt_sites){ .count = 0 };
}
