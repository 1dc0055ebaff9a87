/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Learns facts by calls of the C library.  This file is compiled without
 * nolibc.h.
 */
#include "base/optimize_size.h"

#include <sys/auxv.h>
#include <sys/syscall.h>

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <threads.h>

#include "arch/syscall.h"
#include "base/libc_facts.h"

#if defined(__x86_64__)
#define CLOCK_FUNCTION	"__vdso_clock_gettime"
#else
#define CLOCK_FUNCTION	"__kernel_clock_gettime"
#endif

/* The longest distance of a thread's descriptor from its thread pointer. */
#define DESCRIPTOR_MAX	8192

#define DESCRIPTOR_WORDS 128	/* that there are at least */

/* Words from a thread's id to the head of its list of robust mutexes. */
#define TID_WORDS	2

const uint8_t tbuf_auxiliary[TBUF_AUXILIARY] = {
	AT_SECURE, AT_RANDOM, AT_EXECFN, AT_GID, AT_EUID, AT_EGID
};
struct tbuf_libc_facts tbuf_libc_known __attribute__((section("tbuf_forked")));

static ptrdiff_t
offset_of(const void *address)
{
	return ((ptrdiff_t)((uintptr_t)address -
	    (uintptr_t)__builtin_thread_pointer()));
}

#ifdef __GLIBC__
/* Returns the owner of a recursive mutex: the C library has the thread's id. */
static uint32_t
tid_ask(void)
{
	union {
		pthread_mutex_t pthread;
		mtx_t mtx;
	} mutex = { .pthread = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP };
	int owner;

	/* A preloaded provider wraps functions with the name pthread. */
	if (mtx_trylock(&mutex.mtx) != thrd_success)
		return (0);
	owner = mutex.pthread.__data.__owner;
	mtx_unlock(&mutex.mtx);
	return ((uint32_t)owner);
}

/*
 * Returns the head of the thread's list of robust mutexes, which in a new
 * descriptor points to itself, as the word before it does.
 */
static const uintptr_t *
list_find(void)
{
	const uintptr_t *list = NULL;
	size_t size;
#if defined(__x86_64__)
	unsigned i;

	for (i = TID_WORDS; i < DESCRIPTOR_WORDS; i++) {
		list = (const uintptr_t *)__builtin_thread_pointer() + i;
		if (list[0] == (uintptr_t)list && list[-1] == (uintptr_t)list)
			return (list);
	}
#endif
	return (raw_call(SYS_get_robust_list, 0, (long)&list, (long)&size, 0,
	    0) == 0 ? list : NULL);
}

/*
 * Finds the thread's id in its descriptor, where it is before that list, and
 * where fork(3) refreshes it in the child.  A program without the list has the
 * kernel return the id.
 */
static ptrdiff_t
tid_find(void)
{
	const uintptr_t *list = list_find();
	ptrdiff_t offset = offset_of(list - TID_WORDS);

	return (list != NULL && offset > -DESCRIPTOR_MAX &&
	    offset < DESCRIPTOR_MAX &&
	    *(const uint32_t *)(list - TID_WORDS) == tid_ask() ? offset : 0);
}
#else
static ptrdiff_t
tid_find(void)
{
	return (0);
}
#endif

/* The tables that the dynamic section of the vDSO names, or NULL. */
struct tables {
	const ElfW(Sym) *symbols;
	const char *names;
	uint64_t names_size;
};

static void
tables_read(struct tables *t, const ElfW(Dyn) *dynamic, uintptr_t bias)
{
	for (; dynamic->d_tag != DT_NULL; dynamic++)
		switch (dynamic->d_tag) {
		case DT_SYMTAB:
			t->symbols = (const ElfW(Sym) *)
			    (bias + dynamic->d_un.d_ptr);
			break;
		case DT_STRTAB:
			t->names = (const char *)(bias + dynamic->d_un.d_ptr);
			break;
		case DT_STRSZ:
			t->names_size = dynamic->d_un.d_val;
			break;
		}
}

/* The names follow the symbols: so many there are. */
static uintptr_t
symbol_value(const struct tables *t, const char *name)
{
	const ElfW(Sym) *symbol = t->symbols;

	if (symbol == NULL)
		return (0);
	for (; (uintptr_t)(symbol + 1) <= (uintptr_t)t->names; symbol++)
		if (symbol->st_shndx != SHN_UNDEF &&
		    symbol->st_name < t->names_size &&
		    strcmp(t->names + symbol->st_name, name) == 0)
			return (symbol->st_value);
	return (0);
}

/* Returns the vDSO's function that reads clocks, or NULL. */
static tbuf_clock_function *
clock_find(void)
{
	uintptr_t base = getauxval(AT_SYSINFO_EHDR), bias = base, value;
	const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)base;
	const ElfW(Phdr) *phdr, *dynamic = NULL;
	struct tables tables = { NULL, NULL, 0 };
	unsigned i;

	if (base == 0)
		return (NULL);
	phdr = (const ElfW(Phdr) *)(base + header->e_phoff);
	for (i = 0; i < header->e_phnum; i++)
		if (phdr[i].p_type == PT_LOAD)
			bias = base + phdr[i].p_offset - phdr[i].p_vaddr;
		else if (phdr[i].p_type == PT_DYNAMIC)
			dynamic = phdr + i;
	if (dynamic == NULL)
		return (NULL);
	tables_read(&tables, (const ElfW(Dyn) *)(bias + dynamic->p_vaddr),
	    bias);
	value = symbol_value(&tables, CLOCK_FUNCTION);
	return (value == 0 ? NULL : (tbuf_clock_function *)(bias + value));
}

/* Two threads may learn at once: both store the same. */
const struct tbuf_libc_facts *
tbuf_libc_learn(void)
{
	struct tbuf_libc_facts *known = &tbuf_libc_known;
	unsigned i;

	for (i = 0; i < TBUF_AUXILIARY; i++)
		tbuf_store(&known->auxiliary[i], getauxval(tbuf_auxiliary[i]));
	tbuf_store(&known->clock_gettime, clock_find());
	tbuf_store(&known->tid_at, tid_find());
	tbuf_store_release(&known->errno_at, offset_of(&errno));
	return (known);
}
