/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The loaded objects that make the program's system calls.
 */
#include "dispatch.h"

#include <string.h>

#include "target/provider.h"

#define TEXTS		4u

static const struct patch *patch;
static syscall_report *tell;

/*
 * Returns true if an address is in the object; *start and *size are of its
 * segment.
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
 * Returns true for this object, libtbuf, and the provider of USDT probes, which
 * reads texts: their calls are not the program's.
 */
static bool
is_ours(const struct dl_phdr_info *info)
{
	const char *name;
	uintptr_t start;
	size_t size;

	/* No program calls tbuf_life_busy(), so its address is in libtbuf. */
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
	/* The program cannot write to the kernel's own page. */
	if (is_ours(info) || strstr(name, "linux-vdso") != NULL)
		return (0);
	n = patch_texts(info, texts, TEXTS);
	for (i = 0; i < n; i++)
		syscall_patch_text(patch, &texts[i], name, info->dlpi_addr,
		    tell);
	return (0);
}

void
syscall_patch(const struct patch *with, syscall_report *how)
{
	patch = with;
	tell = how;
	(void)dl_iterate_phdr(patch_object, NULL);
}
