/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The libc provider: finding the real functions, and registering the probes.
 *
 * Calls may come before the constructor, from the dynamic linker or from the
 * constructor of another library.  Therefore the first call finds the real
 * functions, and the first call for which it is possible registers the probes.
 * A probe that is not registered is not enabled.
 */
#include "libc.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "target/provider.h"

#define LENGTH(array)	(sizeof(array) / sizeof((array)[0]))

static const struct libc_family *const families[] = {
	&tbuf_libc_memory,	/* first: dlsym(3) may allocate */
	&tbuf_libc_file,
	&tbuf_libc_socket,
	&tbuf_libc_thread,
	&tbuf_libc_process
};

/* Initial-exec: an access never allocates. */
static _Thread_local bool resolving
    __attribute__((tls_model("initial-exec")));

struct libc_code tbuf_libc_library;

static void
find_one(struct libc_function *f, const char *name)
{
	void *real = dlsym(RTLD_NEXT, name);

	__atomic_store_n(&f->real, real, __ATOMIC_RELAXED);
}

const uint32_t tbuf_libc_unknown[2] = { 1, 1 };

void
tbuf_libc_fire(struct tbuf_site *site, const uint64_t *record, const void *sp,
    const uint64_t *values)
{
	tbuf_site_fire_from(site, values, ADDRESS(__builtin_return_address(0)),
	    record[1], ADDRESS(sp), record[0]);
}

static int
find_code(struct dl_phdr_info *info, size_t size, void *cookie)
{
	struct libc_code *code = cookie;
	const ElfW(Phdr) *phdr;
	uintptr_t start;
	int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		phdr = &info->dlpi_phdr[i];
		start = info->dlpi_addr + phdr->p_vaddr;
		if (phdr->p_type != PT_LOAD ||
		    code->inside - start >= phdr->p_memsz)
			continue;
		code->start = start;
		code->size = phdr->p_memsz;
		code->file = info->dlpi_name;
		return (1);
	}
	return (0);
}

static struct libc_code
code_of(const void *inside)
{
	struct libc_code code = { .inside = (uintptr_t)inside };

	(void)dl_iterate_phdr(find_code, &code);
	return (code);
}

/*
 * One search for all functions takes as long as relocating this library.  It is
 * mostly made for a call of libtbuf's own, before the constructor here.
 */
bool
tbuf_libc_resolve(void)
{
	static bool resolved;
	const struct libc_family *family;
	int error = errno;
	size_t i;
	unsigned row;

	if (__atomic_load_n(&resolved, __ATOMIC_ACQUIRE))
		return (true);
	if (resolving)
		return (false);
	resolving = true;
	for (i = 0; i < LENGTH(families); i++) {
		family = families[i];
		for (row = 0; row < family->nrows; row++)
			find_one(&family->functions[row],
			    family->rows[row].name);
	}
	/* No program calls tbuf_life_busy(), so its address is in libtbuf. */
	tbuf_libc_library = code_of((const void *)(uintptr_t)tbuf_life_busy);
	/* Clears the message about a function that the C library lacks. */
	(void)dlerror();
	__atomic_store_n(&resolved, true, __ATOMIC_RELEASE);
	resolving = false;
	errno = error;
	return (true);
}

/* Returns the row of a function in its family, or -1. */
static int
row_of(const struct libc_family *family, const struct libc_function *f)
{
	uintptr_t offset = (uintptr_t)f - (uintptr_t)family->functions;

	if (offset >= family->nrows * sizeof(*f))
		return (-1);
	return ((int)(offset / sizeof(*f)));
}

void *
tbuf_libc_find(struct libc_function *f)
{
	bool all = tbuf_libc_resolve();
	int error = errno, row;
	size_t i;

	/* An object that has the function may have been loaded since. */
	for (i = 0; f->real == NULL && i < LENGTH(families); i++) {
		row = row_of(families[i], f);
		if (row != -1)
			find_one(f, families[i]->rows[row].name);
	}
	if (all && f->real == NULL)
		(void)dlerror();
	errno = error;
	return (f->real);
}

/* Returns the type that has this name, of three letters, in a row. */
static enum tbuf_type
type_of(const char *name)
{
	switch (*name) {
	case 'i':
		return (name[1] == '3' ? TBUF_INT32 : TBUF_INT64);
	case 'u':
		return (name[1] == '3' ? TBUF_UINT32 : TBUF_UINT64);
	case 'p':
		return (TBUF_POINTER);
	default:
		return (TBUF_STRING);
	}
}

/* The arguments of a row, parsed. */
struct arguments {
	const char *written;
	const struct tbuf_site *site;	/* one with these, or NULL */
	uint8_t n;
	uint8_t types[TBUF_ARGS_MAX];
	char names[128];		/* strings, adjacent */
	size_t size;
};

static void
parse(const char *p, struct arguments *a)
{
	char *to = a->names;

	a->written = p;
	a->site = NULL;
	a->n = 0;
	while (*p != '\0') {
		while (*p != ':')
			*to++ = *p++;
		*to++ = '\0';
		a->types[a->n++] = (uint8_t)type_of(p + 1);
		p += 4;
		if (*p == ' ')
			p++;
	}
	a->size = (size_t)(to - a->names);
}

/*
 * Registers one probe of a function.  Its arguments, written as in a row, are
 * mostly those of the last call.
 */
static void
add(struct tbuf_site *site, const char *module, const char *function,
    const char *name, const char *written, struct arguments *a)
{
	struct tbuf_series_probe probe = { "libc", module, function, name,
	    a->names, 0, NULL };

	if (written != a->written)
		parse(written, a);
	memset(site, 0, sizeof(*site));
	site->nargs = a->n;
	memcpy(site->types, a->types, sizeof(site->types));
	probe.argnames_size = a->size;
	probe.like = a->site;
	if (tbuf_series_register(site, &probe) == 0)
		a->site = site;
}

/*
 * Returns the base name of the file that has the function.  dladdr(3) would
 * look at every symbol of that file.  Nearly all functions are in one file.
 */
static const char *
module_of(const void *function)
{
	static struct libc_code code;
	const char *base;

	if ((uintptr_t)function - code.start >= code.size)
		code = code_of(function);
	if (code.file == NULL || *code.file == '\0')
		return ("libc");
	base = strrchr(code.file, '/');
	return (base == NULL ? code.file : base + 1);
}

static void
register_family(const struct libc_family *family)
{
	struct arguments entry = { .written = NULL }, leave = entry;
	const struct libc_row *row;
	const struct libc_event *event;
	struct libc_function *f;
	unsigned i;

	for (i = 0; i < family->nrows; i++) {
		row = &family->rows[i];
		f = &family->functions[i];
		if (row->entry == NULL || f->module == NULL)
			continue;
		add(&f->entry, f->module, row->name, "entry", row->entry,
		    &entry);
		if (row->leave != NULL)
			add(&f->leave, f->module, row->name, "return",
			    row->leave, &leave);
	}
	for (i = 0; i < family->nevents; i++) {
		event = &family->events[i];
		f = &family->functions[event->function];
		if (f->module != NULL)
			add(&family->sites[i], f->module,
			    family->rows[event->function].name, event->name,
			    event->arguments, &entry);
	}
}

const uint32_t *
tbuf_libc_words(const struct tbuf_site *a, const struct tbuf_site *b)
{
	/* No control file, or no room in it: they will never be enabled. */
	static const uint32_t nobody[2];

	if (a->enabled == NULL || b->enabled == NULL)
		return (tbuf_libc_unknown);
	if (a->enabled == &a->zero && b->enabled == &b->zero)
		return (nobody);
	return (b->enabled == a->enabled + 1 ? a->enabled :
	    tbuf_libc_unknown);
}

/* Makes the wrappers go by the enable words alone from now on. */
static void
settle(const struct libc_family *family)
{
	struct libc_function *f;
	unsigned i;

	for (i = 0; i < family->nrows; i++) {
		f = &family->functions[i];
		if (family->rows[i].leave != NULL)
			__atomic_store_n(&f->wanted, tbuf_libc_words(&f->entry,
			    &f->leave), __ATOMIC_RELEASE);
	}
}

/*
 * Runs before the registration series, in which no thread may wait for the
 * loader.
 */
static void
find_modules(const struct libc_family *family)
{
	struct libc_function *f;
	unsigned i;

	for (i = 0; i < family->nrows; i++) {
		f = &family->functions[i];
		if (f->real != NULL)
			f->module = module_of(f->real);
	}
}

static void
register_all(void)
{
	static bool begun;
	sigset_t mask;
	size_t i;

	if (__atomic_exchange_n(&begun, true, __ATOMIC_RELAXED))
		return;
	for (i = 0; i < LENGTH(families); i++)
		find_modules(families[i]);
	tbuf_series_begin(&mask, 0);
	for (i = 0; i < LENGTH(families); i++)
		register_family(families[i]);
	tbuf_series_end(&mask);
	for (i = 0; i < LENGTH(families); i++)
		settle(families[i]);
	tbuf_libc_thread_begin();
}

/*
 * The C library's constructor is the first of all and sets `environ': by then
 * every object has been relocated.  tbuf_life_busy(): the call may come from
 * libtbuf while it begins, also through other functions.
 */
void
tbuf_libc_begin(void)
{
	int error = errno;

	if (resolving || environ == NULL || tbuf_life_busy())
		return;
	register_all();
	errno = error;
}

static void __attribute__((constructor))
begin(void)
{
	int error = errno;

	(void)tbuf_libc_resolve();
	register_all();
	tbuf_libc_process_begin();
	errno = error;
}
