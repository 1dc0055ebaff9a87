/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs the D compiler alone, for tests.
 *
 *	compile [OPTIONS] FILE [ARGUMENT ...]
 *	compile [OPTIONS] -n TEXT [ARGUMENT ...]
 *	compile -c FILE ...	run cases; print differences and counts
 *	compile -u FILE ...	print the cases with their present output
 *
 *	-t	print the tree, checked
 *	-r	run the generated programs; print their effects
 *	-S	print the generated programs
 *	-p	print the tree as it was parsed
 *	-Z	descriptions may match nothing
 *	-d	defaultargs
 *	-e	allow an empty program
 *	-f -m -P	type of a description's last field, as with dtrace
 *	-s N	scratchsize
 *	-k N	tregs
 *	-v V	version, as 1.6.2
 *	-a A	amin, as Evolving/Evolving/Common
 *	-L	all sources but the last are libraries
 *	-H	there is a program with hostile types
 *
 * A file of cases is a text.  Each case has a line "=== TITLE" or "=== TITLE |
 * OPTIONS [-n] [ARGUMENT ...]", the program, a line "---", and the expected
 * output.  Lines "+++" are between a program's sources.
 */
#include <ctype.h>
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner.h"
#include "tbufd.h"

#define ARGUMENTS_MAX	16

struct request {
	struct d_options options;
	struct d_source source;
	bool tree, parse, libraries, run, list;
	int argc;
	const char *argv[ARGUMENTS_MAX];
};

static const struct d_macro macros[] = {
	{ "pid", 4711 }, { "ppid", 1 }, { "uid", 1000 }, { "euid", 1000 },
	{ "gid", 100 }, { "egid", 100 }, { "pgid", 4711 }, { "sid", 4711 },
	{ "target", 0 }, { NULL, 0 },
};

static const char *
set_option(void *context, const char *name, const char *value)
{
	(void)context;
	if (strcmp(name, "quiet") == 0)
		return (value == NULL ? NULL :
		    "Invalid value for specified option");
	return (strcmp(name, "bufsize") == 0 ? NULL : "Invalid option name");
}

/* Returns true for any description without the word `missing`. */
static bool
probe_exists(void *context, const struct d_description *d)
{
	unsigned i;

	(void)context;
	for (i = 0; i < 4; i++)
		if (strcmp(d->field[i], "missing") == 0)
			return (false);
	return (true);
}

/*
 * Classes of arguments: the probes of kv have the four named here, and any name
 * that begins with a; those of later have unknown arguments.
 */
static enum d_class
argument(void *context, const struct d_description *d, const char *name,
    uint64_t number)
{
	static const char *const names[] = { "id", "path", "bytes", "load" };
	static const enum d_class classes[] = {
		D_CLASS_INTEGER, D_CLASS_TEXT, D_CLASS_UNSIGNED, D_CLASS_FLOAT,
	};
	unsigned i;

	(void)context;
	if (strcmp(d->field[D_FIELD_PROVIDER], "later") == 0)
		return (D_CLASS_ANY);
	if (strcmp(d->field[D_FIELD_PROVIDER], "kv") != 0)
		return (D_CLASS_NONE);
	for (i = 0; i < 4; i++)
		if (name != NULL ? strcmp(names[i], name) == 0 : number == i)
			return (classes[i]);
	return (name != NULL && name[0] == 'a' ? D_CLASS_INTEGER :
	    D_CLASS_NONE);
}

static bool
probe_by_id(void *context, uint64_t id, struct d_description *d)
{
	(void)context;
	if (id != 1)
		return (false);
	*d = (struct d_description){ .field = { "dtrace", "", "", "BEGIN" } };
	return (true);
}

/*
 * Types of a hostile program.  A union bombN contains bomb(N - 1) twice without
 * a name, and bomb1 a number; bombs has arrays of empty elements.
 */
#define BOMBS		63
#define BOMB_INT	(BOMBS + 1)
#define BOMB_EMPTY	(BOMBS + 2)
#define BOMB_ARRAY	(BOMBS + 3)
#define BOMB_ARRAYS	(BOMBS + 4)

static uint64_t
hostile_find(void *context, const char *module, enum d_import_kind kind,
    const char *name)
{
	unsigned n = 0;

	(void)context;
	(void)module;
	if (kind == D_IMPORT_STRUCT && strcmp(name, "bombs") == 0)
		return (BOMB_ARRAYS);
	if (kind != D_IMPORT_UNION || sscanf(name, "bomb%u", &n) != 1 ||
	    n > BOMBS)
		return (0);
	return (n);
}

static bool
hostile_read(void *context, uint64_t id, struct d_import *type)
{
	static struct d_import_member members[2], array;

	(void)context;
	*type = (struct d_import){
		.kind = D_IMPORT_UNION, .size = 4, .members = members,
		.nmembers = 2
	};
	members[0] = members[1] = (struct d_import_member){ .type = id - 1 };
	array = (struct d_import_member){ .name = "all", .type = BOMB_ARRAY };
	if (id == 1) {
		members[0].name = "x";
		members[0].type = BOMB_INT;
		type->nmembers = 1;
	} else if (id == BOMB_INT)
		*type = (struct d_import){ .kind = D_IMPORT_INTEGER,
		    .is_signed = true, .name = "int", .size = 4 };
	else if (id == BOMB_EMPTY)
		*type = (struct d_import){ .kind = D_IMPORT_ARRAY,
		    .of = BOMB_INT };
	else if (id == BOMB_ARRAY)
		*type = (struct d_import){ .kind = D_IMPORT_ARRAY,
		    .of = BOMB_EMPTY, .count = UINT64_C(1) << 40 };
	else if (id == BOMB_ARRAYS)
		*type = (struct d_import){ .kind = D_IMPORT_STRUCT,
		    .size = 4, .members = &array, .nmembers = 1 };
	return (id != 0 && id <= BOMB_ARRAYS);
}

static unsigned
read_version(const char *text)
{
	unsigned part[3] = { 0, 0, 0 };

	sscanf(text, "%u.%u.%u", &part[0], &part[1], &part[2]);
	return (D_VERSION(part[0], part[1], part[2]));
}

static void
request_init(struct request *r)
{
	memset(r, 0, sizeof(*r));
	r->options.macros = macros;
	r->options.callbacks.set_option = set_option;
	r->options.callbacks.probe_exists = probe_exists;
	r->options.callbacks.argument = argument;
	r->options.callbacks.probe_by_id = probe_by_id;
	r->source.field = D_FIELD_NAME;
	r->source.is_script = r->source.has_lines = true;
	r->argv[0] = "script";
	r->argc = 1;
}

static void
request_option(struct request *r, int option, const char *value)
{
	switch (option) {
	case 't':
		r->tree = true;
		break;
	case 'r':
		r->run = true;
		break;
	case 'S':
		r->list = true;
		break;
	case 'p':
		r->parse = true;
		break;
	case 'H':
		r->options.callbacks.type_find = hostile_find;
		r->options.callbacks.type_read = hostile_read;
		break;
	case 'L':
		r->libraries = true;
		break;
	case 'n':
		r->source.is_script = r->source.has_lines = false;
		break;
	case 'Z':
		r->options.zdefs = true;
		break;
	case 'd':
		r->options.defaultargs = true;
		break;
	case 'e':
		r->options.empty = true;
		break;
	case 'f':
		r->source.field = D_FIELD_FUNCTION;
		break;
	case 'm':
		r->source.field = D_FIELD_MODULE;
		break;
	case 'P':
		r->source.field = D_FIELD_PROVIDER;
		break;
	case 's':
		r->options.scratchsize = strtoull(value, NULL, 0);
		break;
	case 'k':
		r->options.tregs = strtoull(value, NULL, 0);
		break;
	case 'a':
		if (!d_stability_parse(value, &r->options.least))
			exit(2);
		break;
	case 'v':
		r->options.version = read_version(value);
		break;
	default:
		exit(2);
	}
}

#define SOURCES_MAX	8

/*
 * Compiles the sources in order.  Returns their number, or 0 if one is in
 * error.
 */
static unsigned
compile_sources(struct request *r, struct d_compiler *compiler,
    struct d_node **trees, struct d_error *error)
{
	static const char separator[] = "+++\n";
	struct d_source source = r->source;
	const char *end;
	unsigned n = 0;

	do {
		end = strstr(source.text, separator);
		source.length = end == NULL ? strlen(source.text) :
		    (size_t)(end - source.text);
		source.is_library = end != NULL && r->libraries;
		source.name = "lib.d";
		trees[n] = r->parse ? d_parse(compiler, &source, error) :
		    d_compile(compiler, &source, error);
		source.text = end == NULL ? NULL : end + strlen(separator);
		if (trees[n++] == NULL)
			return (0);
	} while (end != NULL && n < SOURCES_MAX);
	return (n);
}

static bool
generate(const struct request *r, struct d_compiler *compiler,
    struct d_node **trees, unsigned n, struct d_error *error, FILE *out)
{
	const struct tbuf_d_script *script = d_generate(compiler, trees, n,
	    error);

	if (script != NULL && r->list)
		d_disassemble(script, out);
	if (script != NULL && r->run)
		runner_run(script, out);
	return (script != NULL);
}

static void
put_name(void *out, const char *name)
{
	fprintf(out, " %s", name);
}

/* Returns 0 if the request compiles. */
static int
request_run(struct request *r, const char *title, FILE *out)
{
	struct d_compiler *compiler = d_open(&r->options);
	struct d_error error;
	struct d_node *trees[SOURCES_MAX] = { NULL };
	unsigned n;
	int status = 0;

	if (compiler == NULL)
		errx(1, "the compiler does not open");
	r->source.argc = r->argc;
	r->source.argv = r->argv;
	n = compile_sources(r, compiler, trees, &error);
	if (n == 0 || ((r->run || r->list) &&
	    !generate(r, compiler, trees, n, &error, out))) {
		fprintf(out, "%s", title);
		d_error_print(&error, true, out);
		fprintf(out, "\n");
		if (r->options.callbacks.type_find != NULL &&
		    error.unknown == D_UNKNOWN_MEMBER) {
			fprintf(out, "members:");
			d_names(compiler, D_UNKNOWN_MEMBER, put_name, out);
			fprintf(out, "\n");
		}
		status = 1;
	} else if (r->tree || r->parse)
		d_dump(trees[n - 1], out);
	else if (!r->run && !r->list)
		fprintf(out, "ok\n");
	d_close(compiler);
	return (status);
}

static char *
read_all(const char *path)
{
	size_t room = 1 << 20;
	char *text = calloc(1, room + 1);
	FILE *f = fopen(path, "re");

	if (f == NULL || text == NULL)
		err(1, "%s", path);
	if (fread(text, 1, room, f) == 0 && ferror(f))
		err(1, "%s", path);
	fclose(f);
	return (text);
}

/* --- cases ---------------------------------------------------------------- */

struct counts {
	unsigned passed, failed;
};

/* Reads the words after the title's bar; they remain in the line. */
static void
read_words(struct request *r, char *words)
{
	char *word, *save;
	int option;

	for (word = strtok_r(words, " ", &save); word != NULL;
	    word = strtok_r(NULL, " ", &save)) {
		if (word[0] != '-' || r->argc > 1 || isdigit(word[1])) {
			if (r->argc < ARGUMENTS_MAX)
				r->argv[r->argc++] = word;
			continue;
		}
		option = word[1];
		if (option == 's' || option == 'v' || option == 'a' ||
		    option == 'k')
			word = strtok_r(NULL, " ", &save);
		request_option(r, option, word);
	}
}

static void
report(const char *path, const char *title, const char *expected,
    const char *got)
{
	printf("FAIL %s: %s\n--- expected\n%s--- got\n%s", path, title,
	    expected, got);
}

static void
case_run(const char *path, const char *header, const char *program,
    const char *expected, bool update, struct counts *counts)
{
	char *title = strdup(header), *bar, *got = NULL;
	struct request r;
	size_t size;
	FILE *out = open_memstream(&got, &size);

	if (title == NULL || out == NULL)
		err(1, NULL);
	request_init(&r);
	r.source.text = program;
	if ((bar = strstr(title, " | ")) != NULL) {
		*bar = '\0';
		read_words(&r, bar + 3);
	}
	request_run(&r, "", out);
	fclose(out);
	if (update)
		printf("=== %s\n%s---\n%s", header, program, got);
	else if (strcmp(expected, got) == 0)
		counts->passed++;
	else {
		counts->failed++;
		report(path, title, expected, got);
	}
	free(got);
	free(title);
}

/*
 * Ends a text before a line with this beginning, and returns the rest after
 * that beginning.
 */
static char *
cut(char *text, const char *line)
{
	char *p = text;
	size_t length = strlen(line);

	while (*p != '\0' && strncmp(p, line, length) != 0) {
		p += strcspn(p, "\n");
		p += *p == '\n';
	}
	if (*p == '\0')
		return (p);
	*p = '\0';
	return (p + length);
}

static void
cases(const char *path, bool update, struct counts *counts)
{
	char *text = read_all(path), *header, *next, *program, *expected;

	next = cut(text, "=== ");
	if (update)
		printf("%s", text);
	while (*next != '\0') {
		header = next;
		next = cut(header, "=== ");
		program = header + strcspn(header, "\n");
		if (*program != '\0')
			*program++ = '\0';
		expected = cut(program, "---\n");
		case_run(path, header, program, expected, update, counts);
	}
	free(text);
}

static int
all_cases(char **paths, bool update)
{
	struct counts counts = { 0, 0 };

	for (; *paths != NULL; paths++)
		cases(*paths, update, &counts);
	if (!update)
		printf("%u passed, %u failed\n", counts.passed,
		    counts.failed);
	return (counts.failed != 0);
}

int
main(int argc, char **argv)
{
	const char *text = NULL;
	char *file = NULL, title[512] = "";
	struct request r;
	int option, status;

	request_init(&r);
	while ((option = getopt(argc, argv, "+c:u:HLrStpn:Zdefms:Pv:a:k:")) != -1) {
		if (option == 'c' || option == 'u')
			return (all_cases(argv + optind - 1, option == 'u'));
		if (option == 'n')
			text = optarg;
		request_option(&r, option, optarg);
	}
	if (text == NULL) {
		if (optind == argc)
			errx(2, "a file is needed");
		r.argv[0] = argv[optind];
		snprintf(title, sizeof(title), "failed to compile script %s: ",
		    argv[optind]);
		text = file = read_all(argv[optind++]);
	} else
		snprintf(title, sizeof(title), "invalid probe specifier %s: ",
		    text);
	r.source.text = text;
	for (; optind < argc && r.argc < ARGUMENTS_MAX; optind++)
		r.argv[r.argc++] = argv[optind];
	status = request_run(&r, title, stdout);
	free(file);
	return (status);
}
