/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <sys/mman.h>

#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "usdt/section.h"

#define SIZE_LIMIT	((uintptr_t)1 << 30)	/* of an object in memory */
#define PARTS_MAX	256u
#define PARTS_BYTES	(PARTS_MAX * sizeof(ElfW(Phdr)))

static const char not_loadable[] = "its segments are damaged";

/*
 * Finds the addresses of all segments.  Returns false if one is not sound, or
 * begins before the end of another one.
 */
static bool
find_bounds(const ElfW(Phdr) *parts, unsigned n, uintptr_t *low,
    uintptr_t *high)
{
	unsigned i;

	*low = UINTPTR_MAX;
	*high = 0;
	for (i = 0; i < n; i++) {
		if (parts[i].p_type != PT_LOAD)
			continue;
		if (parts[i].p_filesz > parts[i].p_memsz ||
		    parts[i].p_memsz > INT64_MAX ||
		    parts[i].p_vaddr > INT64_MAX || parts[i].p_vaddr < *high)
			return (false);
		if (parts[i].p_vaddr < *low)
			*low = parts[i].p_vaddr;
		*high = parts[i].p_vaddr + parts[i].p_memsz;
	}
	return (*low < *high);
}

static bool
read_parts(const struct pid_image *image, int fd, uintptr_t base, unsigned n)
{
	const ElfW(Phdr) *part;

	for (part = image->parts; part < image->parts + n; part++)
		if (part->p_type == PT_LOAD && part->p_filesz > 0 &&
		    !usdt_read_at(fd, (void *)(base + part->p_vaddr),
		    part->p_filesz, part->p_offset))
			return (false);
	return (true);
}

static const char *
read_image(struct pid_image *image, int fd, const ElfW(Ehdr) *header)
{
	struct pid_memory *m = &image->memory;
	uintptr_t low, high;

	image->parts = header->e_phentsize != sizeof(*image->parts) ? NULL :
	    usdt_copy(fd, header->e_phoff, header->e_phnum *
	    sizeof(*image->parts), PARTS_BYTES);
	if (image->parts == NULL ||
	    !find_bounds(image->parts, header->e_phnum, &low, &high))
		return (not_loadable);
	if (high - low > SIZE_LIMIT)
		return ("it needs more than 1 GiB of memory");
	low &= ~(uintptr_t)(PATCH_PAGE - 1);
	image->size = high - low;
	image->bytes = mmap(NULL, image->size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (image->bytes == MAP_FAILED) {
		image->bytes = NULL;
		return ("out of memory");
	}
	m->info.dlpi_addr = (uintptr_t)image->bytes - low;
	m->info.dlpi_phdr = image->parts;
	m->info.dlpi_phnum = header->e_phnum;
	m->is_fixed = header->e_type == ET_EXEC;
	m->is_passing = true;
	/* Words that short relocations name have addresses of the file, too. */
	m->slide = m->info.dlpi_addr;
	return (read_parts(image, fd, m->info.dlpi_addr, header->e_phnum) ?
	    NULL : not_loadable);
}

const char *
pid_image_read(struct pid_image *image, int fd)
{
	struct usdt_sections sections;
	const char *problem;

	memset(image, 0, sizeof(*image));
	problem = usdt_sections_read(&sections, fd);
	if (problem == NULL)
		problem = read_image(image, fd, &sections.header);
	usdt_sections_free(&sections);
	return (problem);
}

void
pid_image_free(struct pid_image *image)
{
	if (image->bytes != NULL)
		munmap(image->bytes, image->size);
	free(image->parts);
}
