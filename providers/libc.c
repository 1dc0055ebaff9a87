/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The libc provider: finding the real functions, and registering the probes.
 *
 * Calls may come before the constructor, from the dynamic linker or from the
 * constructor of another library.  So the first one finds the real functions,
 * and the first one for which that is possible registers the probes.  What is
 * not registered is not enabled.
 */
#include "libc.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "target/mark.h"

#define LENGTH(array)	(sizeof(array) / sizeof((array)[0]))

static const struct libc_family *const families[] = {
	&tbuf_libc_memory,	/* first: dlsym(3) may allocate */
	&tbuf_libc_file,
	&tbuf_libc_socket,
	&tbuf_libc_thread,
	&tbuf_libc_process
};

/* Initial-exec: touching it never allocates. */
static _Thread_local bool resolving
    __attribute__((tls_model("initial-exec")));

/* Where libtbuf's code lies. */
static uintptr_t library_start, library_size;

static void
find_one(struct libc_function *f, const char *name)
{
	void *real = dlsym(RTLD_NEXT, name);

	__atomic_store_n(&f->real, real, __ATOMIC_RELAXED);
}

bool
tbuf_libc_is_library(const void *address)
{
	return ((uintptr_t)address - library_start < library_size);
}

static int
find_code(struct dl_phdr_info *info, size_t size, void *cookie)
{
	uintptr_t inside = *(const uintptr_t *)cookie, start;
	const ElfW(Phdr) *phdr;
	int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		phdr = &info->dlpi_phdr[i];
		start = info->dlpi_addr + phdr->p_vaddr;
		if (phdr->p_type != PT_LOAD ||
		    inside - start >= phdr->p_memsz)
			continue;
		library_start = start;
		library_size = phdr->p_memsz;
		return (1);
	}
	return (0);
}

static void
find_library(void)
{
	void *inside = dlsym(RTLD_NEXT, "tbuf_probe_register");

	(void)dl_iterate_phdr(find_code, &inside);
}

bool
tbuf_libc_resolve(void)
{
	const struct libc_family *family;
	int error = errno;
	size_t i;
	unsigned row;

	if (resolving)
		return (false);
	resolving = true;
	for (i = 0; i < LENGTH(families); i++) {
		family = families[i];
		for (row = 0; row < family->nrows; row++)
			find_one(&family->functions[row],
			    family->rows[row].name);
	}
	find_library();
	/* A function that the C library has not leaves a message. */
	(void)dlerror();
	resolving = false;
	errno = error;
	return (true);
}

/* Which row of its family a function is, or -1. */
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
	int error = errno, row;
	size_t i;

	if (!tbuf_libc_resolve() && f->real == NULL) {
		for (i = 0; i < LENGTH(families); i++) {
			row = row_of(families[i], f);
			if (row != -1)
				find_one(f, families[i]->rows[row].name);
		}
		errno = error;
	}
	return (f->real);
}

static enum tbuf_type
type_of(const char *name, size_t length)
{
	static const struct {
		const char *name;
		enum tbuf_type type;
	} types[] = {
		{ "i32", TBUF_INT32 },
		{ "u32", TBUF_UINT32 },
		{ "i64", TBUF_INT64 },
		{ "u64", TBUF_UINT64 },
		{ "ptr", TBUF_POINTER },
		{ "str", TBUF_STRING }
	};
	size_t i;

	for (i = 0; i < LENGTH(types); i++)
		if (strlen(types[i].name) == length &&
		    memcmp(types[i].name, name, length) == 0)
			return (types[i].type);
	return (TBUF_NONE);
}

/* Register one probe of a function whose arguments are written as in a row. */
static void
add(struct tbuf_site *site, const char *module, const char *function,
    const char *name, const char *arguments)
{
	char text[128];
	const char *names[TBUF_ARGS_MAX];
	enum tbuf_type types[TBUF_ARGS_MAX];
	unsigned n = 0;
	char *p = text;
	size_t length;

	length = strlen(arguments);
	memcpy(text, arguments, length + 1);
	while (*p != '\0') {
		names[n] = p;
		p += strcspn(p, ":");
		*p++ = '\0';
		length = strcspn(p, " ");
		types[n++] = type_of(p, length);
		p += length;
		if (*p == ' ')
			p++;
	}
	(void)tbuf_probe_register(site, "libc", module, function, name, n,
	    types, names);
}

/* The base name of the file that a function is in. */
static const char *
module_of(const void *function)
{
	const char *base;
	Dl_info info;

	if (dladdr(function, &info) == 0 || info.dli_fname == NULL)
		return ("libc");
	base = strrchr(info.dli_fname, '/');
	return (base == NULL ? info.dli_fname : base + 1);
}

static void
register_family(const struct libc_family *family)
{
	const struct libc_row *row;
	const struct libc_event *event;
	struct libc_function *f;
	const char *module;
	unsigned i;

	for (i = 0; i < family->nrows; i++) {
		row = &family->rows[i];
		f = &family->functions[i];
		if (row->entry == NULL || f->real == NULL)
			continue;
		module = module_of(f->real);
		add(&f->entry, module, row->name, "entry", row->entry);
		if (row->leave != NULL)
			add(&f->leave, module, row->name, "return",
			    row->leave);
	}
	for (i = 0; i < family->nevents; i++) {
		event = &family->events[i];
		f = &family->functions[event->function];
		if (f->real != NULL)
			add(&family->sites[i], module_of(f->real),
			    family->rows[event->function].name, event->name,
			    event->arguments);
	}
}

static void
register_all(void)
{
	static bool begun;
	size_t i;

	if (__atomic_exchange_n(&begun, true, __ATOMIC_RELAXED))
		return;
	for (i = 0; i < LENGTH(families); i++)
		register_family(families[i]);
}

/*
 * The C library's constructor is the first of all, and sets the environment:
 * by then every object has been relocated.  The call may be libtbuf's own,
 * while it begins, whoever else stands in between.
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
