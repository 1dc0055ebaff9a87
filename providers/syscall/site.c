/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The loaded objects that make the program's system calls.
 */
#include "dispatch.h"

#include <string.h>
#include <unistd.h>

#include "target/provider.h"

#define TEXTS		4u

static syscall_report *tell;
static int tables;		/* the directory of tables, or -1 */

/*
 * Finds the segment of an object that has an address, or, if the address is 0,
 * its first executable one.  Returns false if there is none.
 */
static bool
find_segment(const struct dl_phdr_info *info, uintptr_t address,
    uintptr_t *start, size_t *size)
{
	const ElfW(Phdr) *p = info->dlpi_phdr, *end = p + info->dlpi_phnum;

	for (; p < end; p++) {
		*start = info->dlpi_addr + p->p_vaddr;
		*size = p->p_memsz;
		if (p->p_type == PT_LOAD && (address == 0 ?
		    (p->p_flags & PF_X) != 0 : address - *start < *size))
			return (true);
	}
	return (false);
}

/*
 * Returns true for this object, libtbuf, and the providers of USDT probes and
 * of functions, which read texts: their calls are not the program's.
 */
static bool
is_ours(const struct dl_phdr_info *info)
{
	const char *name;
	uintptr_t start;
	size_t size;

	/* No program calls tbuf_life_busy(), so its address is in libtbuf. */
	if (find_segment(info, (uintptr_t)tbuf_life_busy, &start, &size)) {
		syscall_fire_library(start, size);
		return (true);
	}
	name = strrchr(info->dlpi_name, '/');
	if (name != NULL && (strcmp(name, "/libtbuf-usdt.so") == 0 ||
	    strcmp(name, "/libtbuf-pid.so") == 0) &&
	    find_segment(info, 0, &start, &size)) {
		syscall_fire_library(start, size);
		return (true);
	}
	if (!find_segment(info, (uintptr_t)syscall_patch, &start, &size))
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
		syscall_patch_text(&texts[i], name, tables, tell);
	return (0);
}

void
syscall_patch(syscall_report *how)
{
	tell = how;
	tables = tbuf_directory_target();
	(void)dl_iterate_phdr(patch_object, NULL);
	if (tables >= 0)
		close(tables);
}
