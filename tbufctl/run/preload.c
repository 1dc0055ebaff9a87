/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/description_field.h"
#include "base/messages.h"
#include "base/command_path.h"
#include "base/open_regular.h"
#include "base/string_list.h"
#include "options/command_line.h"
#include "preload.h"

static const struct module {
	unsigned bit;
	const char *provider;		/* NULL: none */
	const char *file;
	const char *name;		/* for messages */
} modules[] = {
	{ PRELOAD_LIST, NULL, "libtbuf-list.so", "libtbuf-list.so" },
	{ PRELOAD_SYSCALL, "syscall", "libtbuf-syscall.so",
	    "the syscall provider" },
	{ PRELOAD_USDT, "usdt", "libtbuf-usdt.so", "the usdt provider" },
	{ PRELOAD_PID, NULL, "libtbuf-pid.so", "the pid provider" },
	{ PRELOAD_LIBC, "libc", "libtbuf-libc.so", "the libc provider" }
};
#define NMODULES	(sizeof(modules) / sizeof(modules[0]))

/* Levels of interpreters that the kernel follows. */
#define SCRIPTS_MAX	5

static bool
field_wants(const char *field, size_t length, const char *provider)
{
	char *glob;
	bool wants;

	if (length == 0 || (length == 1 && *field == '*'))
		return (false);
	glob = string_format("%.*s", (int)length, field);
	wants = fnmatch(glob, provider, 0) == 0;
	free(glob);
	return (wants);
}

/* Returns true if the last field of a description matches a probe's name. */
static bool
name_wants(const char *field, size_t length, const char *name)
{
	return (name == NULL || length == 0 || (length == 1 && *field == '*') ||
	    field_wants(field, length, name));
}

/*
 * Returns true if a list of descriptions names a provider, and a name if there
 * is one.  Fields are right-aligned: only the first of four is a provider.  A
 * function with :: in it looks like more fields.
 */
static bool
text_wants(const char *p, const char *provider, const char *name)
{
	const char *first, *end, *last;
	unsigned fields;

	for (;; p++) {
		first = p;
		end = p = field_end(p);
		last = first;
		for (fields = 1; *p == ':'; fields++) {
			last = p + 1;
			p = field_end(last);
		}
		if (fields >= 4 && field_wants(first, end - first,
		    provider) && name_wants(last, p - last, name))
			return (true);
		if (*p == '\0')
			return (false);
	}
}

/*
 * Returns true if a word of a D program names a provider: the program is
 * compiled only when its target exists.  A word in a comment or a string may
 * match, too; then the provider is preloaded and not traced.
 */
static bool
program_wants(const struct description *d, const char *provider,
    const char *name)
{
	const char *text = d->flag == 's' ? d->script : d->text;
	char *rest = memory_string(text), *all = rest, *word;
	bool wants = false, first = true;

	while (!wants && (word = strsep(&rest, " \t\n,;{}()/\"")) != NULL) {
		if (*word == '\0')
			continue;
		wants = text_wants(word, provider, name) || (first &&
		    d->flag == 'P' && field_wants(word, strlen(word),
		    provider));
		first = false;
	}
	free(all);
	return (wants);
}

bool
preload_wants_probe(const struct program *program, const char *provider,
    const char *name)
{
	const struct description *d;
	size_t i;

	for (i = 0; i < program->count; i++) {
		d = &program->all[i];
		if (d->is_program ? program_wants(d, provider, name) :
		    d->full != NULL && text_wants(d->full, provider, name))
			return (true);
	}
	return (false);
}

bool
preload_wanted(const struct program *program, const char *provider)
{
	return (preload_wants_probe(program, provider, NULL));
}

unsigned
preload_providers(const struct options *o)
{
	unsigned wanted = preload_wants_pid(o) ? PRELOAD_PID : 0;
	size_t i;

	for (i = 0; i < NMODULES; i++)
		if (modules[i].provider != NULL &&
		    preload_wanted(&o->program, modules[i].provider))
			wanted |= modules[i].bit;
	return (wanted);
}

/* Tests for Syscall User Dispatch by turning it off, as it already is. */
const char *
preload_dispatch(void)
{
	static const int dispatch = 59;	/* PR_SET_SYSCALL_USER_DISPATCH */

	if (prctl(dispatch, 0, 0, 0, 0) == 0)
		return (NULL);
	return (errno == EINVAL ? "the kernel has no Syscall User Dispatch" :
	    "the kernel refuses Syscall User Dispatch");
}

/*
 * Gets the dynamic linker that a program names, without its folder; "" if it
 * names none.  Returns false if that cannot be read.
 */
static bool
linker_of(int fd, const Elf64_Ehdr *header, char name[PATH_MAX])
{
	Elf64_Phdr phdr;
	char path[PATH_MAX];
	unsigned i;
	ssize_t n;

	for (i = 0; i < header->e_phnum; i++) {
		if (pread(fd, &phdr, sizeof(phdr), (off_t)(header->e_phoff +
		    i * sizeof(phdr))) != sizeof(phdr))
			return (false);
		if (phdr.p_type == PT_INTERP)
			break;
	}
	*name = '\0';
	if (i == header->e_phnum)
		return (true);
	n = pread(fd, path, sizeof(path), (off_t)phdr.p_offset);
	if (n <= 0 || memchr(path, '\0', (size_t)n) == NULL)
		return (false);
	strcpy(name, basename(path));
	return (true);
}

/*
 * Returns how a program differs from tbufctl, or NULL.  tbufctl runs on this
 * computer and is linked with the C library that the provider needs.
 */
static const char *
difference(int fd, const Elf64_Ehdr *header)
{
	char linker[PATH_MAX], own_linker[PATH_MAX] = "";
	Elf64_Ehdr own;
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	if (self == -1)
		return (NULL);
	if (read(self, &own, sizeof(own)) != sizeof(own))
		own = *header;
	else
		(void)linker_of(self, &own, own_linker);
	close(self);
	if (own.e_machine != header->e_machine ||
	    own.e_ident[EI_CLASS] != header->e_ident[EI_CLASS] ||
	    own.e_ident[EI_DATA] != header->e_ident[EI_DATA])
		return ("it is for another machine");
	if (!linker_of(fd, header, linker))
		return (NULL);
	if (*linker == '\0')
		return ("it is statically linked");
	if (*own_linker != '\0' && strcmp(linker, own_linker) != 0)
		return ("it is for another C library");
	return (NULL);
}

/* Returns the reason why nothing can be preloaded into a program, or NULL. */
static const char *
obstacle(int fd, const struct stat *st, const Elf64_Ehdr *header)
{
	if ((st->st_mode & S_ISUID) != 0)
		return ("it is setuid");
	if ((st->st_mode & S_ISGID) != 0 && (st->st_mode & S_IXGRP) != 0)
		return ("it is setgid");
	/* Root gains nothing by file capabilities. */
	if (geteuid() != 0 &&
	    fgetxattr(fd, "security.capability", NULL, 0) > 0)
		return ("it has file capabilities");
	return (difference(fd, header));
}

/*
 * Returns the obstacle() of a file.  The interpreter of a script takes its
 * place in `path`.
 */
static const char *
file_obstacle(char path[PATH_MAX])
{
	union {
		char bytes[256];
		Elf64_Ehdr elf;
	} head;
	const char *problem = NULL;
	struct stat st;
	unsigned i;
	ssize_t n;
	int fd;

	for (i = 0; i < SCRIPTS_MAX; i++) {
		if ((fd = regular_open_path(path)) == -1)
			return (NULL);
		n = 0;
		if (fstat(fd, &st) == 0)
			n = read(fd, head.bytes, sizeof(head.bytes));
		if (n >= (ssize_t)sizeof(head.elf) &&
		    memcmp(head.elf.e_ident, ELFMAG, SELFMAG) == 0)
			problem = obstacle(fd, &st, &head.elf);
		close(fd);
		if (n <= 0 || !script_line(head.bytes, (size_t)n, path))
			break;
	}
	return (problem);
}

/* Appends a module to a list, which moves. */
static int
add_module(const struct module *m, char **list)
{
	const char *directory = getenv("TBUF_PROVIDERS");
	char *old = *list, *path, *full = NULL;
	int status = 0;

	if (directory == NULL || *directory == '\0')
		directory = PKGLIBDIR;
	path = string_format("%s/%s", directory, m->file);
	/*
	 * The dynamic linker would only warn, and the command run on.  The path
	 * is absolute, as children may be in other directories.
	 */
	if (access(path, R_OK) != 0 || (full = realpath(path, NULL)) == NULL)
		status = fail(MSG_PROVIDER_NONE, m->name, path,
		    strerror(errno));
	else if (strpbrk(full, ": \t\n") != NULL)
		status = fail(MSG_PROVIDER, m->name, full,
		    "the path contains a blank or a colon");
	else {
		*list = string_format("%s%s%s", old, *old == '\0' ? "" : ":",
		    full);
		free(old);
	}
	free(full);
	free(path);
	return (status);
}

static int
make_setting(unsigned wanted, char **setting)
{
	const char *old = getenv("LD_PRELOAD");
	char *list = memory_string("");
	int status = 0;
	size_t i;

	for (i = 0; i < NMODULES && status == 0; i++)
		if ((wanted & modules[i].bit) != 0)
			status = add_module(&modules[i], &list);
	if (status == 0)
		*setting = string_format("LD_PRELOAD=%s%s%s", list, old ==
		    NULL || *old == '\0' ? "" : ":", old == NULL ? "" : old);
	free(list);
	return (status);
}

bool
preload_program(const char *name, char path[PATH_MAX], const char **problem)
{
	char *command = command_find(name);
	bool found = command != NULL &&
	    strlcpy(path, command, PATH_MAX) < PATH_MAX;

	*problem = found ? file_obstacle(path) : NULL;
	free(command);
	return (found);
}

/*
 * Returns the reason why providers that read instructions cannot, or NULL: they
 * load a library for that, and would find no probes without it.
 */
static const char *
decoder_problem(void)
{
#ifdef ZYDIS_LIBRARY
	void *library = dlopen(ZYDIS_LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (library == NULL)
		return (dlerror());
	dlclose(library);
#endif
	return (NULL);
}

int
preload_prepare(const char *name, unsigned wanted, char **setting)
{
	char path[PATH_MAX];
	const char *problem;
	size_t i;

	for (i = 0; (wanted & modules[i].bit) == 0; i++)
		continue;
	(void)preload_program(name, path, &problem);
	if (problem != NULL)
		return (fail(MSG_PRELOAD, modules[i].name, path, problem));
	if ((wanted & (PRELOAD_SYSCALL | PRELOAD_USDT)) != 0 &&
	    (problem = decoder_problem()) != NULL)
		return (fail(MSG_DECODER, problem));
	return (make_setting(wanted, setting));
}
