/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The modules of a process that has ended: the files that it had mapped, if
 * their paths still lead to the same inodes.
 */
#include <unistd.h>

#include "base/open_regular.h"
#include "dwarf.h"

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwarf_find_debuginfo,
	.section_address = dwfl_offline_section_address
};

static int
open_file(const struct dwarf_mapped *m)
{
	int fd = regular_find(m->path);

	if (fd == -1)
		return (-1);
	if (regular_open(&fd, m->inode) == NULL)
		return (fd);
	(void)close(fd);
	return (-1);
}

/* Finds how far mapped code is from its addresses in the file. */
static bool
find_bias(int fd, const struct dwarf_mapped *m, GElf_Addr *bias)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	GElf_Phdr segment;
	size_t i, n = 0;
	bool found = false;

	if (elf != NULL && elf_getphdrnum(elf, &n) != 0)
		n = 0;
	for (i = 0; i < n && !found; i++) {
		if (gelf_getphdr(elf, (int)i, &segment) == NULL)
			break;
		found = segment.p_type == PT_LOAD &&
		    (segment.p_flags & PF_X) != 0 &&
		    m->offset <= segment.p_offset &&
		    segment.p_offset - m->offset < segment.p_align;
		*bias = m->start + (segment.p_offset - m->offset) -
		    segment.p_vaddr;
	}
	(void)elf_end(elf);
	return (found);
}

Dwfl *
dwarf_open_mapped(const struct dwarf_mapped *m, size_t count)
{
	const struct dwarf_mapped *end = m + count;
	Dwfl *dwfl = dwfl_begin(&callbacks);
	GElf_Addr bias = 0;
	int fd;

	for (; dwfl != NULL && m < end; m++) {
		if (m->path == NULL || (fd = open_file(m)) == -1)
			continue;
		if (!find_bias(fd, m, &bias) || dwfl_report_elf(dwfl, m->path,
		    m->path, fd, bias, true) == NULL)
			(void)close(fd);
	}
	return (dwarf_reported(dwfl, dwfl != NULL));
}
