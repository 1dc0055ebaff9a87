/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The objects that are loaded, and whose system calls are the program's.
 */
#include "dispatch.h"

#include <string.h>

#include "target/provider.h"

#define TEXTS		4u

static const struct patch *patch;
static syscall_told *tell;

/*
 * Is this the object that an address is in?  Its text is where the address is.
 */
static bool
has(const struct dl_phdr_info *info, uintptr_t address, uintptr_t *start,
    size_t *size)
{
	unsigned i;

	for (i = 0; i < info->dlpi_phnum; i++) {
		*start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		*size = info->dlpi_phdr[i].p_memsz;
		if (info->dlpi_phdr[i].p_type == PT_LOAD &&
		    address - *start < *size)
			return (true);
	}
	return (false);
}

static bool
has_text(const struct dl_phdr_info *info, uintptr_t *start, size_t *size)
{
	unsigned i;

	for (i = 0; i < info->dlpi_phnum; i++) {
		*start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		*size = info->dlpi_phdr[i].p_memsz;
		if (info->dlpi_phdr[i].p_type == PT_LOAD &&
		    (info->dlpi_phdr[i].p_flags & PF_X) != 0)
			return (true);
	}
	return (false);
}

/*
 * This object, libtbuf, and the provider of USDT probes, which reads texts:
 * what they call is not the program's.
 */
static bool
is_ours(const struct dl_phdr_info *info)
{
	const char *name;
	uintptr_t start;
	size_t size;

	/* No program has an address of its own for this one. */
	if (has(info, (uintptr_t)tbuf_life_busy, &start, &size)) {
		syscall_fire_library(start, size);
		return (true);
	}
	name = strrchr(info->dlpi_name, '/');
	if (name != NULL && strcmp(name, "/libtbuf-usdt.so") == 0 &&
	    has_text(info, &start, &size)) {
		syscall_fire_library(start, size);
		return (true);
	}
	if (!has(info, (uintptr_t)syscall_patch, &start, &size))
		return (false);
	syscall_dispatch_text(start, size);
	return (true);
}

static int
patch_object(struct dl_phdr_info *info, size_t size, void *unused)
{
	struct patch_text texts[TEXTS];
	const char *name = info->dlpi_name;
	unsigned i, n;

	(void)size;
	(void)unused;
	/* The kernel's own page is not the program's to write to. */
	if (is_ours(info) || strstr(name, "linux-vdso") != NULL)
		return (0);
	n = patch_texts(info, texts, TEXTS);
	for (i = 0; i < n; i++)
		syscall_patch_text(patch, &texts[i], name, info->dlpi_addr,
		    tell);
	return (0);
}

void
syscall_patch(const struct patch *with, syscall_told *told)
{
	patch = with;
	tell = told;
	(void)dl_iterate_phdr(patch_object, NULL);
}
