/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * More mappings of the enable words, for stubs that read them by their
 * distance.  Where the window is mapped again (map.c), they are, too.
 */
#include "base/optimize_size.h"

#include <sys/mman.h>

#include <unistd.h>

#include "target/file/file.h"
#include "target/provider.h"
#include "target/self/self.h"

/* Kernels before 4.17 take the address for a hint. */
static void *
map_at(void *at, size_t size)
{
	int fd = tbuf_file_open_own();
	void *p;

	if (fd < 0)
		return (NULL);
	p = mmap(at, size, PROT_READ, MAP_SHARED | MAP_FIXED_NOREPLACE, fd,
	    tbuf_self.tables.enable);
	close(fd);
	if (p != MAP_FAILED && p != at)
		munmap(p, size);
	return (p == at ? at : NULL);
}

size_t
tbuf_words_copy(void *at, const void **from)
{
	const struct tbuf_tables *t = &tbuf_self.tables;
	size_t size = t->probes - t->enable;
	unsigned i = 0;

	if (tbuf_target_view().base == NULL)
		return (0);
	*from = tbuf_file.base + t->enable;
	if (at == NULL)
		return (size);
	while (i < TBUF_WORDS_MAX && tbuf_file.words[i] != NULL)
		i++;
	if (i == TBUF_WORDS_MAX)
		return (0);
	tbuf_file.words[i] = map_at(at, size);
	return (tbuf_file.words[i] == NULL ? 0 : size);
}
