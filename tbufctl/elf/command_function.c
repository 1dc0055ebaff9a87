/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <fcntl.h>
#include <fnmatch.h>
#include <gelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tbuf_consumer.h>

#include "base/command_path.h"
#include "base/description_field.h"
#include "base/messages.h"
#include "base/string_list.h"
#include "command_function.h"
#include "needed_libraries.h"
#include "pid/name.h"

#define PROGRAM		"a.out"
#define TARGET		"pid$target"
#define SLIPS_MAX	3u	/* in names of functions */
#define SLIPS_MODULE	2u	/* names of libraries are alike */
#define SLIPS_ELSEWHERE	3u	/* for another module with the function */
/* Bounds of the time for one description; node has 185,000 symbols. */
#define SYMBOLS_MAX	((size_t)4 << 20)
#define PAIRS_MAX	((size_t)64 << 20)

/* ------------------------------------------------------------ near names */

/* Returns true for the provider of a process, or of all. */
static bool
is_process(const char *provider)
{
	const char *rest = provider + strlen("pid");

	return (strncmp(provider, "pid", strlen("pid")) == 0 &&
	    (strcmp(provider, TARGET) == 0 || strcmp(rest, "*") == 0 ||
	    rest[strspn(rest, "0123456789")] == '\0'));
}

static bool
is_glob(const char *field)
{
	return (strpbrk(field, "*?[\\") != NULL);
}

bool
near_function_begin(struct near_function *n, const char *description)
{
	char *text = memory_string(description), *module, *function, *name;
	const char *p;

	*n = (struct near_function){ .text = text, .best = NEAR_NEVER };
	/* A function of C++ has pairs of colons. */
	module = strchr(text, ':');
	function = module == NULL ? NULL : strchr(module + 1, ':');
	name = function == NULL ? NULL : strrchr(function + 1, ':');
	if (name == NULL)
		return (false);
	*module++ = *function++ = *name++ = '\0';
	n->provider = text;
	n->module = module;
	n->function = function;
	n->name = name;
	n->length = is_glob(function) ? 0 : strlen(function);
	for (p = function; n->length != 0 && *p != '\0'; p++)
		n->letters[(unsigned char)*p]++;
	return (is_process(text));
}

/* Takes a name of the present module if it is nearer than the one before. */
static void
take_module(struct near_function *n, const char *name)
{
	unsigned slips = near_distance(n->module, strlen(n->module), name);

	if (slips > SLIPS_MODULE || slips >= n->slips)
		return;
	n->slips = slips;
	free(n->called);
	n->called = memory_string(name);
}

bool
near_function_module(struct near_function *n, const char *file,
    bool is_program)
{
	char *name = description_module(n->module, file, is_program), *dot;
	bool matches = name != NULL;

	free(name);
	free(n->called);
	n->called = memory_string(matches ? n->module : is_program ? PROGRAM :
	    file);
	n->slips = matches ? 0 : NEAR_NEVER;
	if (matches || is_glob(n->module))
		return (matches);
	if (is_program)
		take_module(n, PROGRAM);
	take_module(n, file);
	name = memory_string(file);
	while ((dot = strrchr(name, '.')) != NULL && dot != name) {
		*dot = '\0';
		take_module(n, name);
	}
	free(name);
	return (n->slips != NEAR_NEVER || n->length != 0);
}

/*
 * Returns false if too many letters differ: a slip changes at most two in the
 * list of them.
 */
static bool
has_letters(struct near_function *n, const char *name, size_t length)
{
	size_t differ = n->length, i;

	if (length > n->length + SLIPS_MAX || length + SLIPS_MAX < n->length)
		return (false);
	for (i = 0; i < length; i++)
		differ += n->letters[(unsigned char)name[i]]-- > 0 ?
		    (size_t)-1 : 1;
	while (i-- > 0)
		n->letters[(unsigned char)name[i]]++;
	return (differ <= (size_t)2 * SLIPS_MAX);
}

/* Returns how many slips turn the typed name into that of a function. */
static unsigned
function_slips(struct near_function *n, const char *name)
{
	size_t length;
	unsigned slips;

	if (n->length == 0)
		return (*n->function == '\0' ||
		    fnmatch(n->function, name, 0) == 0 ? 0 : NEAR_NEVER);
	if (strcmp(n->function, name) == 0)
		return (0);
	length = strnlen(name, n->length + SLIPS_MAX + 1);
	if (n->letter_pairs > PAIRS_MAX || !has_letters(n, name, length))
		return (NEAR_NEVER);
	n->letter_pairs += n->length * length;
	slips = near_distance(n->function, n->length, name);
	return (slips <= SLIPS_MAX ? slips : NEAR_NEVER);
}

void
near_function_add(struct near_function *n, const char *symbol)
{
	unsigned slips, more = n->slips;
	char scoped[PID_SCOPED];
	const char *name = symbol;

	if (n->best == 0 || ++n->symbols > SYMBOLS_MAX)
		return;
	if (strstr(n->function, "::") != NULL && pid_scoped(symbol, scoped))
		name = scoped;
	slips = function_slips(n, name);
	if (more == NEAR_NEVER && slips == 0)
		more = SLIPS_ELSEWHERE;
	if (slips + more >= n->best)
		return;
	n->best = slips + more;
	free(n->best_module);
	free(n->best_function);
	n->best_module = memory_string(n->called);
	n->best_function = memory_string(slips == 0 ? n->function : name);
}

char *
near_function_end(struct near_function *n)
{
	char *near = NULL;

	if (n->best != 0 && n->best < NEAR_NEVER) {
		near = string_format("%s:%s:%s:%s", strpbrk(n->provider,
		    "0123456789") != NULL ? TARGET : n->provider,
		    n->best_module, n->best_function, n->name);
		near[strlen(near) - n->cut] = '\0';
	}
	free(n->best_module);
	free(n->best_function);
	free(n->called);
	free(n->text);
	return (near);
}

/* ------------------------------------------------------------ the command */

#ifdef HAVE_PID

#define FILES_MAX	512
#define SCRIPTS_MAX	5	/* levels of interpreters */
#define FIELDS		4u

struct search {
	struct words seen;	/* files */
	const char *module, *function;
	bool found;
	struct near_function *near;	/* NULL: exactly this function */
};

/* Returns true if a table of symbols defines the function, as typed. */
static bool
defines(struct search *s, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	unsigned type;
	const char *name;
	GElf_Sym symbol;
	int i;

	for (i = 0; gelf_getsym(data, i, &symbol) != NULL; i++) {
		type = GELF_ST_TYPE(symbol.st_info);
		if (symbol.st_shndx == SHN_UNDEF ||
		    (type != STT_FUNC && type != STT_GNU_IFUNC) ||
		    (name = elf_strptr(elf, header->sh_link,
		    symbol.st_name)) == NULL)
			continue;
		if (s->near != NULL)
			near_function_add(s->near, name);
		else if (strcmp(name, s->function) == 0)
			return (true);
	}
	return (false);
}

static bool
has_function(struct search *s, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)) != NULL)
		if (gelf_getshdr(section, &header) != NULL &&
		    (header.sh_type == SHT_SYMTAB ||
		    header.sh_type == SHT_DYNSYM) &&
		    defines(s, elf, section, &header))
			return (true);
	return (false);
}

/* The program is the file that is seen first. */
static bool
is_module(const struct search *s, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *file = slash == NULL ? path : slash + 1;
	char *name;

	if (s->near != NULL)
		return (near_function_module(s->near, file,
		    s->seen.count == 1));
	if (*s->module == '\0')
		return (true);
	name = description_module(s->module, file, s->seen.count == 1);
	free(name);
	return (name != NULL);
}

static void
visit(void *arg, const char *path)
{
	struct search *s = arg;
	Elf *elf;
	int fd;

	if (s->found || s->seen.count == FILES_MAX ||
	    words_have(&s->seen, path))
		return;
	words_add(&s->seen, "%s", path);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) == -1)
		return;
	if ((elf = elf_begin(fd, ELF_C_READ, NULL)) != NULL) {
		if (elf_kind(elf) == ELF_K_ELF) {
			s->found = is_module(s, path) &&
			    has_function(s, elf);
			(void)needed_visit(elf, path, visit, s);
		}
		elf_end(elf);
	}
	close(fd);
}

static bool
find(struct search *s, const char *command)
{
	char *found = command_find(command), interpreter[PATH_MAX];
	const char *path = found;
	unsigned i;

	if (path == NULL)
		return (false);
	(void)elf_version(EV_CURRENT);
	for (i = 0; i < SCRIPTS_MAX && script_interpreter(path, interpreter);
	    i++)
		path = interpreter;
	visit(s, path);
	words_free(&s->seen);
	free(found);
	return (s->found);
}

/* Splits a description whose fields are aligned at the right. */
static bool
split(char *copy, const char *fields[FIELDS])
{
	unsigned n = field_count(copy), i;
	const char *end;

	for (i = 0; i < FIELDS; i++)
		fields[i] = "";
	if (n > FIELDS)
		return (false);
	for (i = FIELDS - n; i < FIELDS; i++) {
		fields[i] = copy;
		end = field_end(copy);
		copy += end - copy;
		if (*copy != '\0')
			*copy++ = '\0';
	}
	return (true);
}

static int
look_at_probe(void *search, const struct tbuf_probe_info *probe)
{
	struct search *s = search;

	s->found |= probe->function != NULL &&
	    strcmp(probe->function, s->function) == 0;
	return (0);
}

/* Returns true for a description of functions, and gets the nearest one. */
static bool
find_near(const char *command, const char *description, char **near)
{
	struct near_function n;
	struct search s = { .near = &n };
	bool is = near_function_begin(&n, description);

	if (is)
		(void)find(&s, command);
	*near = near_function_end(&n);
	return (is);
}

char *
command_function(const char *command, const char *description,
    near_probes *probes, void *context)
{
	char *copy, *near;
	const char *fields[FIELDS], *name = "entry";
	struct search s = { .found = false };
	bool names;

	if (find_near(command, description, &near))
		return (near);
	copy = memory_string(description);
	names = split(copy, fields) && *fields[0] == '\0';
	s.module = fields[1];
	s.function = *fields[2] != '\0' ? fields[2] : fields[3];
	if (*fields[2] != '\0')
		name = fields[3];
	if (names && *s.function != '\0' &&
	    strpbrk(s.function, "*?[\\") == NULL &&
	    (*name == '\0' || strcmp(name, "entry") == 0 ||
	    strcmp(name, "return") == 0) &&
	    probes(context, look_at_probe, &s) == 0 && !s.found &&
	    find(&s, command))
		near = string_format("pid$target:%s:%s:%s", s.module,
		    s.function, name);
	free(copy);
	return (near);
}

#else

char *
command_function(const char *command, const char *description,
    near_probes *probes, void *context)
{
	(void)command;
	(void)description;
	(void)probes;
	(void)context;
	return (NULL);
}

#endif
