/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The headers and notes of an ELF core.
 *
 *	+------------+-----------------+-------+---------+---------+-- -+
 *	| ELF header | program headers | notes | segment | segment |    |
 *	+------------+-----------------+-------+---------+---------+-- -+
 *
 * A truncated core lacks its end: mostly the memory at high addresses, where
 * file mappings are.
 */
#include <sys/param.h>
#include <sys/procfs.h>

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumer/files/core_elf.h"
#include "consumer/files/files.h"

/* program headers read at a time */
#define SOME		256

static const char not_core[] = "not a core";

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BYTE_ORDER_HERE	ELFDATA2LSB
#else
#define BYTE_ORDER_HERE	ELFDATA2MSB
#endif

ssize_t
tbuf_core_read_file(void *arg, void *to, size_t size, uint64_t offset)
{
	ssize_t n;

	do {
		n = pread(*(int *)arg, to, size, (off_t)offset);
	} while (n == -1 && errno == EINTR);
	return (n == -1 ? -errno : n);
}

ssize_t
tbuf_core_bytes(struct tbuf_core *core, void *to, size_t size, uint64_t offset)
{
	size_t done = 0;
	ssize_t n;

	if (offset > INT64_MAX - size)
		return (0);
	while (done < size) {
		n = core->read(core->arg, (char *)to + done, size - done,
		    offset + done);
		if (n < 0)
			return (n);
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return ((ssize_t)done);
}

/*
 * Reads exactly `size` bytes.  Returns false on failure and sets `error`: 0 if
 * the core ends before them, else -errno.
 */
static bool
read_whole(struct tbuf_core *core, void *to, size_t size, uint64_t offset,
    int *error)
{
	ssize_t n = tbuf_core_bytes(core, to, size, offset);

	*error = n < 0 ? (int)n : 0;
	core->truncated |= n >= 0 && (size_t)n < size;
	return (n == (ssize_t)size);
}

/*
 * Returns the number of program headers.  If it does not fit into the ELF
 * header, the first section header has it.
 */
static uint32_t
count_headers(struct tbuf_core *core, const Elf64_Ehdr *elf)
{
	Elf64_Shdr section;
	int error;

	if (elf->e_phnum != PN_XNUM)
		return (elf->e_phnum);
	if (elf->e_shoff == 0 || elf->e_shentsize != sizeof(section) ||
	    !read_whole(core, &section, sizeof(section), elf->e_shoff, &error))
		return (PN_XNUM);
	return (section.sh_info < TBUF_CORE_SEGMENTS ? section.sh_info :
	    TBUF_CORE_SEGMENTS);
}

static const char *
check_header(const Elf64_Ehdr *elf)
{
	if (memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0)
		return (not_core);
	if (elf->e_ident[EI_CLASS] != ELFCLASS64)
		return ("a core of a 32-bit process");
	if (elf->e_ident[EI_DATA] != BYTE_ORDER_HERE)
		return ("a core of another byte order");
	if (elf->e_type != ET_CORE || elf->e_phentsize != sizeof(Elf64_Phdr))
		return (not_core);
	return (NULL);
}

/* Adds the path of a mapping that may be a text trace; each path once. */
static int
add_trace(struct tbuf_core *core, const char *text)
{
	size_t i;

	if (core->ntraces == TBUF_CORE_PATHS || !tbuf_trace_mapping(text))
		return (0);
	for (i = 0; i < core->ntraces; i++)
		if (strcmp(core->traces[i], text) == 0)
			return (0);
	if ((core->traces[i] = strdup(text)) == NULL)
		return (-ENOMEM);
	core->ntraces++;
	return (0);
}

static int
add_control(struct tbuf_core *core, const char *text)
{
	char *path = strdup(text);
	bool deleted, known = false;
	size_t i;

	if (path == NULL)
		return (-ENOMEM);
	if (tbuf_map_control(path, &deleted) != NULL &&
	    core->npaths < TBUF_CORE_PATHS) {
		for (i = 0; i < core->npaths; i++)
			known |= strcmp(core->paths[i].path, path) == 0;
		if (!known) {
			core->paths[core->npaths++] =
			    (struct tbuf_core_path){ path, deleted };
			return (0);
		}
	}
	free(path);
	return (0);
}

/*
 * NT_FILE has two words {count, page size}, three words for each mapping
 * {start, end, page}, then the names.
 */
static int
note_files(struct tbuf_core *core, const char *note, size_t size)
{
	uint64_t count;
	size_t at, n;
	int error = 0;

	if (size < 2 * sizeof(count))
		return (0);
	memcpy(&count, note, sizeof(count));
	if (count > (size - 2 * sizeof(count)) / (3 * sizeof(count)))
		return (0);
	at = 2 * sizeof(count) + count * 3 * sizeof(count);
	for (; at < size && count > 0 && error == 0; at += n + 1, count--) {
		n = strnlen(note + at, size - at);
		if (at + n == size)
			break;
		error = add_control(core, note + at);
		if (error == 0)
			error = add_trace(core, note + at);
	}
	return (error);
}

static int
look_note(struct tbuf_core *core, const Elf64_Nhdr *head, const char *data)
{
	struct elf_prpsinfo info;

	if (head->n_type == NT_FILE)
		return (note_files(core, data, head->n_descsz));
	if (head->n_type == NT_PRPSINFO && head->n_descsz >= sizeof(info)) {
		memcpy(&info, data, sizeof(info));
		core->pid = info.pr_pid;
	}
	return (0);
}

/* Reads the notes of one segment. */
static int
look_notes(struct tbuf_core *core, const char *bytes, size_t size)
{
	static const char name[] = "CORE";
	uint64_t at = 0, data, next;
	Elf64_Nhdr head;
	int error = 0;

	while (error == 0 && size - at >= sizeof(head)) {
		memcpy(&head, bytes + at, sizeof(head));
		at += sizeof(head);
		data = at + ((head.n_namesz + UINT64_C(3)) & ~UINT64_C(3));
		next = data + ((head.n_descsz + UINT64_C(3)) & ~UINT64_C(3));
		if (data + head.n_descsz > size)
			break;
		if (head.n_namesz == sizeof(name) &&
		    memcmp(bytes + at, name, sizeof(name)) == 0)
			error = look_note(core, &head, bytes + data);
		at = next < size ? next : size;
	}
	return (error);
}

static int
read_notes(struct tbuf_core *core, uint64_t offset, uint64_t size)
{
	ssize_t n;
	char *bytes;
	int error;

	size = MIN(size, TBUF_CORE_NOTES);
	if ((bytes = malloc(size + 1)) == NULL)
		return (-ENOMEM);
	n = tbuf_core_bytes(core, bytes, size, offset);
	core->truncated |= n >= 0 && (uint64_t)n < size;
	error = n < 0 ? (int)n : look_notes(core, bytes, (size_t)n);
	free(bytes);
	return (error);
}

static int
by_offset(const void *a, const void *b)
{
	const struct tbuf_core_segment *x = a, *y = b;

	if (x->offset != y->offset)
		return (x->offset < y->offset ? -1 : 1);
	return ((x->address > y->address) - (x->address < y->address));
}

/* Adds a PT_LOAD header as a segment; remembers the first PT_NOTE header. */
static void
look_header(struct tbuf_core *core, const Elf64_Phdr *header,
    Elf64_Phdr *notes)
{
	if (header->p_filesz == 0 || header->p_filesz > INT64_MAX ||
	    header->p_filesz > UINT64_MAX - header->p_vaddr ||
	    header->p_offset > INT64_MAX - header->p_filesz)
		return;
	if (header->p_type == PT_LOAD)
		core->segments[core->nsegments++] = (struct tbuf_core_segment){
			header->p_vaddr, header->p_offset, header->p_filesz
		};
	else if (header->p_type == PT_NOTE && notes->p_filesz == 0)
		*notes = *header;
}

/* Reads `count` program headers.  Returns how many there were, or -errno. */
static ssize_t
read_some(struct tbuf_core *core, uint64_t at, uint32_t count,
    Elf64_Phdr *notes)
{
	struct tbuf_core_segment *more;
	Elf64_Phdr headers[SOME];
	ssize_t n, i;

	more = reallocarray(core->segments, core->nsegments + count,
	    sizeof(*more));
	if (more == NULL)
		return (-ENOMEM);
	core->segments = more;
	n = tbuf_core_bytes(core, headers, count * sizeof(headers[0]), at);
	n = n < 0 ? n : n / (ssize_t)sizeof(headers[0]);
	for (i = 0; i < n; i++)
		look_header(core, &headers[i], notes);
	return (n);
}

/* Reads all program headers, then the one segment of notes. */
static int
read_headers(struct tbuf_core *core, uint64_t at, uint32_t count)
{
	Elf64_Phdr notes = { .p_filesz = 0 };
	uint32_t some;
	ssize_t n;

	for (; count > 0; count -= some, at += some * sizeof(Elf64_Phdr)) {
		some = count < SOME ? count : SOME;
		if ((n = read_some(core, at, some, &notes)) < 0)
			return ((int)n);
		if (n < (ssize_t)some) {
			core->truncated = core->headless = true;
			break;
		}
	}
	return (notes.p_filesz == 0 ? 0 :
	    read_notes(core, notes.p_offset, notes.p_filesz));
}

const char *
tbuf_core_open(struct tbuf_core *core, tbuf_core_read read, void *arg,
    int *error)
{
	const char *problem;
	Elf64_Ehdr elf;

	memset(core, 0, sizeof(*core));
	core->read = read;
	core->arg = arg;
	if (!read_whole(core, &elf, sizeof(elf), 0, error)) {
		if (*error == -ESPIPE)
			return ("it is a pipe");
		if (*error != 0)
			return (strerror(-*error));
		*error = -EINVAL;
		return (not_core);
	}
	*error = -EINVAL;
	if ((problem = check_header(&elf)) != NULL)
		return (problem);
	*error = read_headers(core, elf.e_phoff, count_headers(core, &elf));
	if (*error != 0) {
		tbuf_core_close(core);
		return (strerror(-*error));
	}
	if (core->nsegments != 0)
		qsort(core->segments, core->nsegments,
		    sizeof(*core->segments), by_offset);
	return (NULL);
}

void
tbuf_core_close(struct tbuf_core *core)
{
	size_t i;

	for (i = 0; i < core->npaths; i++)
		free(core->paths[i].path);
	for (i = 0; i < core->ntraces; i++)
		free(core->traces[i]);
	free(core->segments);
	memset(core, 0, sizeof(*core));
}
