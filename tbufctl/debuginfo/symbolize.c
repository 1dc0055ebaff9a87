/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the file that was mapped at an address, and the function in it.  Each
 * file is read once, for the first address in it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tbuf_consumer.h>

#include "base/clean_text.h"
#include "base/messages.h"
#include "base/open_regular.h"
#include "functions.h"
#include "symbolize.h"

/* The mapping of a file that was found first in an image. */
struct first {
	uint64_t image, start;
};

struct file {
	struct file *next;
	uint64_t inode;
	char *path;
	char *name;		/* last part of the path, cleaned */
	struct functions functions;
	struct first *firsts;
	size_t nfirsts;
};

static struct file *files;

/* ------------------------------------------------------------ files */

/*
 * Finds the mapped file itself, even if its path has changed, where the kernel
 * allows it; else the file at its path, as a running process sees it.
 */
static int
find_mapped(const struct tbuf_mapping *m)
{
	char path[4096 + 32];
	int fd = -1;

	if (m->pid != 0) {
		(void)snprintf(path, sizeof(path), "/proc/%d/map_files/%"
		    PRIx64 "-%" PRIx64, (int)m->pid, m->start, m->end);
		fd = regular_find(path);
	}
	if (fd == -1 && m->pid != 0 && (size_t)snprintf(path, sizeof(path),
	    "/proc/%d/root%s", (int)m->pid, m->path) < sizeof(path))
		fd = regular_find(path);
	return (fd == -1 ? regular_find(m->path) : fd);
}

/* Returns NULL, or why the functions of the file have no names. */
static const char *
read_file(struct file *file, const struct tbuf_mapping *m)
{
	const char *why;
	int fd = regular_open(find_mapped(m), m->inode, &why);

	if (fd == -1)
		return (why);
	why = module_read(&file->functions, fd, m->path);
	text_clean(file->functions.names, file->functions.names_size, '?', "");
	(void)close(fd);
	return (why);
}

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return (slash != NULL && slash[1] != '\0' ? slash + 1 : path);
}

/* A mapping without a file, such as [vdso], has only a name. */
static struct file *
file_get(const struct tbuf_mapping *m)
{
	struct file *file = files;
	const char *why;

	for (; file != NULL; file = file->next)
		if (file->inode == m->inode && strcmp(file->path, m->path) == 0)
			return (file);
	file = memory_get(NULL, 1, sizeof(*file));
	*file = (struct file){
		.next = files, .inode = m->inode,
		.path = memory_string(m->path),
		.name = memory_string(base_name(m->path))
	};
	(void)name_clean(file->name);
	files = file;
	if (m->path[0] == '/' && (why = read_file(file, m)) != NULL)
		message(MSG_NAMES, m->path, why);
	return (file);
}

/* ------------------------------------------------------------ addresses */

/* A program may have several segments of code: one stands for them all. */
static uint64_t
first_start(struct file *file, uint64_t image, uint64_t start)
{
	size_t i = file->nfirsts;

	while (i-- > 0)
		if (file->firsts[i].image == image)
			return (file->firsts[i].start);
	file->firsts = memory_get(file->firsts, file->nfirsts + 1,
	    sizeof(*file->firsts));
	file->firsts[file->nfirsts++] = (struct first){ image, start };
	return (start);
}

bool
symbol_find(struct tbuf_consumer *c, uint64_t image, uint64_t address,
    struct symbol *to)
{
	const struct function *function;
	struct tbuf_mapping mapping;
	struct file *file;

	memset(to, 0, sizeof(*to));
	if (c == NULL ||
	    tbuf_consumer_mapping(c, image, address, &mapping) != 1)
		return (false);
	file = file_get(&mapping);
	to->module = file->name;
	to->start = first_start(file, image, mapping.start);
	to->place = address - mapping.start + mapping.offset;
	function = module_find(&file->functions, to->place, &to->offset);
	if (function != NULL)
		to->function = file->functions.names + function->name;
	return (true);
}

void
symbol_free(void)
{
	struct file *file;

	while ((file = files) != NULL) {
		files = file->next;
		module_free(&file->functions);
		free(file->firsts);
		free(file->path);
		free(file->name);
		free(file);
	}
}
