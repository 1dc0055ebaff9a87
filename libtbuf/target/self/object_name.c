/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the object file that contains an address.
 */
#include "base/optimize_size.h"

#include <errno.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "target/self/self.h"

struct search {
	uintptr_t address;
	char *name;
	size_t size;
};

static void
copy_base(char *name, size_t size, const char *path)
{
	const char *base = strrchr(path, '/');
	size_t length;

	base = base == NULL ? path : base + 1;
	length = strnlen(base, size - 1);
	memcpy(name, base, length);
	name[length] = '\0';
}

/* Copies the main program's name, which dl_iterate_phdr(3) leaves empty. */
static void
copy_program(char *name, size_t size)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n <= 0) {
		copy_base(name, size, program_invocation_name);
		return;
	}
	path[n] = '\0';
	copy_base(name, size, path);
}

static int
visit(struct dl_phdr_info *info, size_t size, void *cookie)
{
	struct search *search = cookie;
	const ElfW(Phdr) *phdr;
	int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		phdr = &info->dlpi_phdr[i];
		if (phdr->p_type != PT_LOAD ||
		    search->address - info->dlpi_addr - phdr->p_vaddr >=
		    phdr->p_memsz)
			continue;
		if (info->dlpi_name != NULL && *info->dlpi_name != '\0')
			copy_base(search->name, search->size,
			    info->dlpi_name);
		else
			copy_program(search->name, search->size);
		return (1);
	}
	return (0);
}

void
tbuf_module_name(const void *address, char *name, size_t size)
{
	struct search search = { (uintptr_t)address, name, size };

	if (dl_iterate_phdr(visit, &search) == 0)
		copy_program(name, size);
}
