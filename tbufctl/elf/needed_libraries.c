/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
	const char *origin;	/* folder of the file that needs it */
	int origin_length;
	struct words tried;	/* paths; the last one may exist */
};

/* Tries one folder of a path; $ORIGIN is the folder of the needing file. */
static bool
look_in(struct search *s, const char *folder, int length)
{
	static const char *const origins[] = { "$ORIGIN", "${ORIGIN}" };
	const char *rest = folder;
	size_t i, n;

	if (length == 0)
		return (false);
	for (i = 0; i < 2; i++) {
		n = strlen(origins[i]);
		if ((size_t)length >= n && memcmp(folder, origins[i], n) == 0)
			rest = folder + n;
	}
	return (access(words_add(&s->tried, "%.*s%.*s/%s", rest == folder ?
	    0 : s->origin_length, s->origin, length - (int)(rest - folder),
	    rest, s->name), R_OK) == 0);
}

static bool
look_along(struct search *s, const char *path)
{
	const char *end;

	for (; path != NULL; path = *end == '\0' ? NULL : end + 1) {
		end = strchrnul(path, ':');
		if (look_in(s, path, (int)(end - path)))
			return (true);
	}
	return (false);
}

/* Returns false if the library is in no folder. */
static bool
look(const char *name, const char *run_path, const char *path,
    void (*visit)(void *, const char *path), void *arg)
{
	const char *slash = strrchr(path, '/');
	struct search s = {
		.name = name, .origin = slash == NULL ? "." : path,
		.origin_length = slash == NULL ? 1 : (int)(slash - path)
	};
	bool found = look_along(&s, run_path) ||
	    look_along(&s, getenv("LD_LIBRARY_PATH")) ||
	    look_along(&s, system_path);

	if (found)
		visit(arg, s.tried.all[s.tried.count - 1]);
	words_free(&s.tried);
	return (found);
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

bool
needed_visit(Elf *elf, const char *path, void (*visit)(void *,
    const char *path), void *arg)
{
	const char *run_path = NULL, *name;
	GElf_Shdr header;
	GElf_Dyn entry;
	Elf_Data *data = dynamic(elf, &header);
	bool found = true;
	int i;

	if (data == NULL)
		return (true);
	for (i = 0; i < NEEDED_MAX && gelf_getdyn(data, i, &entry) != NULL;
	    i++)
		if (entry.d_tag == DT_RUNPATH || entry.d_tag == DT_RPATH)
			run_path = elf_strptr(elf, header.sh_link,
			    entry.d_un.d_val);
	for (i = 0; i < NEEDED_MAX && gelf_getdyn(data, i, &entry) != NULL;
	    i++)
		if (entry.d_tag == DT_NEEDED && (name = elf_strptr(elf,
		    header.sh_link, entry.d_un.d_val)) != NULL &&
		    !look(name, run_path, path, visit, arg))
			found = false;
	return (found);
}
