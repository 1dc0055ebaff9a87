/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <sys/stat.h>

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/messages.h"
#include "base/open_regular.h"
#include "base/string_list.h"
#include "needed_libraries.h"

#define NEEDED_MAX	256

static const char system_path[] =
#ifdef __aarch64__
    "/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu:"
#else
    "/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:"
#endif
    "/lib64:/usr/lib64:/usr/local/lib:/lib:/usr/lib";

struct search {
	const char *name;
	struct words tried;	/* paths; the last one may exist */
};

static bool
look_in(void *search, const char *folder)
{
	struct search *s = search;

	return (access(words_add(&s->tried, "%s/%s", folder, s->name),
	    R_OK) == 0);
}

/*
 * Visits the folders of a path, until a visit returns true; $ORIGIN is the
 * folder of the file that needs a library.
 */
static bool
visit_path(const char *path, const char *file, needed_folder *visit, void *arg)
{
	static const char *const origins[] = { "$ORIGIN", "${ORIGIN}" };
	const char *slash = strrchr(file, '/'), *end, *rest;
	int origin = slash == NULL ? 1 : (int)(slash - file);
	bool found = false;
	char *folder;
	size_t i, n;

	for (; path != NULL && !found; path = *end == '\0' ? NULL : end + 1) {
		end = strchrnul(path, ':');
		rest = path;
		for (i = 0; i < 2; i++) {
			n = strlen(origins[i]);
			if (strncmp(path, origins[i], n) == 0)
				rest = path + n;
		}
		folder = string_format("%.*s%.*s", rest == path ? 0 : origin,
		    slash == NULL ? "." : file, (int)(end - rest), rest);
		found = *folder != '\0' && visit(arg, folder);
		free(folder);
	}
	return (found);
}

/* ------------------------------------------------------------ the cache */

#define CACHE		"/etc/ld.so.cache"
#define CACHE_MAGIC	"glibc-ld.so.cache1.1"
#define CACHE_MAX	((size_t)64 << 20)
#define FOLDERS_MAX	256u

/* The file of ldconfig(8): a header, entries, and their strings. */
struct cache {
	char magic[sizeof(CACHE_MAGIC) - 1];
	uint32_t count, strings;
	uint32_t unused[5];
};

/* Strings are at offsets from the header. */
struct cache_entry {
	int32_t flags;
	uint32_t name, path;
	uint32_t system;
	uint64_t ability;	/* of the processor; 0: any */
};

void
needed_cache(const char *bytes, size_t size, struct words *folders)
{
	struct cache_entry one;
	struct cache head;
	const char *slash, *path;
	char *folder;
	uint32_t i;

	if (size < sizeof(head))
		return;
	memcpy(&head, bytes, sizeof(head));
	if (memcmp(head.magic, CACHE_MAGIC, sizeof(head.magic)) != 0 ||
	    head.count > (size - sizeof(head)) / sizeof(one))
		return;
	for (i = 0; i < head.count && folders->count < FOLDERS_MAX; i++) {
		memcpy(&one, bytes + sizeof(head) + i * sizeof(one),
		    sizeof(one));
		if (one.ability != 0 || one.path >= size)
			continue;
		path = bytes + one.path;
		if ((slash = strrchr(path, '/')) == NULL || slash == path)
			continue;
		folder = string_format("%.*s", (int)(slash - path), path);
		if (!words_have(folders, folder))
			words_add(folders, "%s", folder);
		free(folder);
	}
}

/* Returns the folders of libraries that the system's administrator has set. */
static const struct words *
cache_folders(void)
{
	static struct words folders;
	static bool is_read;
	int fd = is_read ? -1 : regular_open_path(CACHE);
	struct stat st;
	char *bytes;
	ssize_t n;

	is_read = true;
	if (fd == -1)
		return (&folders);
	if (fstat(fd, &st) == 0 && st.st_size > 0 &&
	    (size_t)st.st_size <= CACHE_MAX) {
		bytes = memory_get(NULL, (size_t)st.st_size + 1, 1);
		n = read(fd, bytes, (size_t)st.st_size);
		if (n > 0) {
			bytes[n] = '\0';
			needed_cache(bytes, (size_t)n, &folders);
		}
		free(bytes);
	}
	close(fd);
	return (&folders);
}

/* Returns the entries of the ELF section .dynamic, or NULL. */
static Elf_Data *
dynamic(Elf *elf, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section)) != NULL)
		if (gelf_getshdr(section, header) != NULL &&
		    header->sh_type == SHT_DYNAMIC)
			return (elf_getdata(section, NULL));
	return (NULL);
}

/* The run path of a file. */
struct run_path {
	const char *path;	/* NULL: none */
	bool is_old;		/* it is looked at before $LD_LIBRARY_PATH */
};

static struct run_path
run_path_of(Elf *elf, Elf_Data *data, const GElf_Shdr *header)
{
	struct run_path run = { .path = NULL };
	GElf_Dyn entry;
	int i;

	for (i = 0; i < NEEDED_MAX && gelf_getdyn(data, i, &entry) != NULL;
	    i++)
		if (entry.d_tag == DT_RUNPATH || (entry.d_tag == DT_RPATH &&
		    (run.path == NULL || run.is_old))) {
			run.path = elf_strptr(elf, header->sh_link,
			    entry.d_un.d_val);
			run.is_old = entry.d_tag == DT_RPATH;
		}
	return (run);
}

/* Visits folders as needed_folders() does. */
static bool
visit_folders(const struct run_path *run, const char *file,
    needed_folder *visit, void *arg)
{
	const struct words *folders = cache_folders();
	size_t i;

	if ((run->is_old && visit_path(run->path, file, visit, arg)) ||
	    visit_path(getenv("LD_LIBRARY_PATH"), file, visit, arg) ||
	    (!run->is_old && visit_path(run->path, file, visit, arg)))
		return (true);
	for (i = 0; i < folders->count; i++)
		if (visit(arg, folders->all[i]))
			return (true);
	return (visit_path(system_path, file, visit, arg));
}

bool
needed_run_path(Elf *elf, const char *file, needed_folder *visit, void *arg)
{
	GElf_Shdr header;
	Elf_Data *data = dynamic(elf, &header);

	return (data != NULL && visit_path(run_path_of(elf, data,
	    &header).path, file, visit, arg));
}

bool
needed_folders(Elf *elf, const char *file, needed_folder *visit, void *arg)
{
	struct run_path run = { .path = NULL };
	GElf_Shdr header;
	Elf_Data *data = dynamic(elf, &header);

	if (data != NULL)
		run = run_path_of(elf, data, &header);
	return (visit_folders(&run, file, visit, arg));
}

/* Returns false if the library is in no folder. */
static bool
look(const char *name, const struct run_path *run, const char *path,
    void (*visit)(void *, const char *path), void *arg)
{
	struct search s = { .name = name };
	bool found = visit_folders(run, path, look_in, &s);

	if (found)
		visit(arg, s.tried.all[s.tried.count - 1]);
	words_free(&s.tried);
	return (found);
}

bool
needed_visit(Elf *elf, const char *path, void (*visit)(void *,
    const char *path), void *arg)
{
	struct run_path run;
	GElf_Shdr header;
	GElf_Dyn entry;
	Elf_Data *data = dynamic(elf, &header);
	const char *name;
	bool found = true;
	int i;

	if (data == NULL)
		return (true);
	run = run_path_of(elf, data, &header);
	for (i = 0; i < NEEDED_MAX && gelf_getdyn(data, i, &entry) != NULL;
	    i++)
		if (entry.d_tag == DT_NEEDED && (name = elf_strptr(elf,
		    header.sh_link, entry.d_un.d_val)) != NULL &&
		    !look(name, &run, path, visit, arg))
			found = false;
	return (found);
}
