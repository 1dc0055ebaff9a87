/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The time that the compiler takes is proportional to the number of
 * declarations.  Time itself is not measured: the compiler's sources are built
 * with -fsanitize-coverage=trace-pc once more, which calls a function in each
 * basic block; bytes that the C library copies or looks at count as well.
 */
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/check_main.h"
#include "tbufd.h"

#define FEW		500u
#define FACTOR		8u
/*
 * Trees of names are deeper by a third then.  A loop over all declarations for
 * each of them takes 64 times the steps.
 */
#define STEPS_FACTOR	11u

static uint64_t steps;

/* Names that gcc and ld(1) choose. */
void	__sanitizer_cov_trace_pc(void);
void	*__real_memcpy(void *, const void *, size_t);
void	*__real_memmove(void *, const void *, size_t);
void	*__real_memset(void *, int, size_t);
size_t	__real_strlen(const char *);
void	*__wrap_memcpy(void *, const void *, size_t);
void	*__wrap_memmove(void *, const void *, size_t);
void	*__wrap_memset(void *, int, size_t);
size_t	__wrap_strlen(const char *);

void
__sanitizer_cov_trace_pc(void)
{
	steps++;
}

void *
__wrap_memcpy(void *to, const void *from, size_t size)
{
	steps += size / 8;
	return (__real_memcpy(to, from, size));
}

void *
__wrap_memmove(void *to, const void *from, size_t size)
{
	steps += size / 8;
	return (__real_memmove(to, from, size));
}

void *
__wrap_memset(void *to, int byte, size_t size)
{
	steps += size / 8;
	return (__real_memset(to, byte, size));
}

size_t
__wrap_strlen(const char *text)
{
	size_t length = __real_strlen(text);

	steps += length / 8;
	return (length);
}

/*
 * A program: texts that come many times, each with a number in place of '#'
 * unless it begins a pragma.
 */
struct program {
	const char *name;
	/*
	 * The beginning, each declaration, the middle, a second text for each
	 * declaration, and the end.
	 */
	const char *texts[5];
};

static const struct program programs[] = {
	{ "enumerators of one enum", { "enum all {\n", "E#,\n", "E };\n",
	    "inline int i# = E#;\n" } },
	{ "enums", { "", "enum e# { E# };\n", "",
	    "inline enum e# i# = E#;\n" } },
	{ "members of a structure", { "struct all {\n", "int m#;\n", "};\n",
	    "inline int i# = offsetof(struct all, m#);\n" } },
	{ "members of a union", { "union all {\n", "int m#;\n", "};\n",
	    "inline int i# = offsetof(union all, m#);\n" } },
	{ "structures", { "", "struct s# { int n; };\n", "",
	    "inline int i# = sizeof(struct s#);\n" } },
	{ "typedefs", { "", "typedef int t#;\n", "",
	    "inline t# i# = sizeof(t#);\n" } },
	{ "translators", { "struct in { int n; };\n",
	    "struct out# { int n; };\ntranslator struct out# < struct in *in > "
	    "{ n = 1; };\n", "" } },
	{ "members of a translator", { "struct in { int n; };\nstruct out {\n",
	    "int m#;\n", "};\ntranslator struct out < struct in *in > {\n",
	    "m# = in->n;\n", "};\n" } },
	{ "inlines", { "", "inline int i# = #;\n", "",
	    "inline int j# = i#;\n" } },
	{ "inlines with parameters", { "", "inline int i#[int a#] = a#;\n", "",
	    "inline int j# = i#[1];\n" } },
	{ "globals", { "", "int g#;\n", "", "inline int i# = g#;\n" } },
	{ "globals in clauses", { "", "int g#;\n", "",
	    "BEGIN { g# = 1; }\n" } },
	{ "associative arrays", { "", "int a#[int];\n", "",
	    "BEGIN { a#[1] = 1; }\n" } },
	{ "variables of a thread", { "", "self int s#;\n", "",
	    "BEGIN { self->s# = 1; }\n" } },
	{ "variables of a clause", { "", "this int c#;\n", "",
	    "BEGIN { this->c# = 1; }\n" } },
	{ "undeclared variables", { "", "BEGIN { g# = 1; }\n", "",
	    "BEGIN { g# = 2; }\n" } },
	{ "aggregations", { "", "BEGIN { @a# = count(); }\n", "",
	    "BEGIN { @a# = count(); }\n" } },
	{ "strings", { "", "BEGIN { trace(\"text #\"); }\n", "" } },
	{ "formats", { "", "BEGIN { printf(\"%d #\\n\", 1); }\n", "" } },
	{ "descriptions", { "", "a:b:c:d# { }\n", "" } },
	{ "descriptions of a clause", { "", "a:b:c:d#,\n", "BEGIN { }\n" } },
	{ "statements of a clause", { "BEGIN {\n", "trace(#);\n", "}\n" } },
	{ "probes of a provider", { "provider p {\n", "probe q#(int);\n",
	    "};\n" } },
	{ "providers", { "", "provider p#x { probe q(int); };\n", "" } },
	{ "stabilities", { "", "int g#;\n", "",
	    "#pragma D attributes Stable/Stable/Common g#\n" } },
	{ "macros", { "", "int g#;\n", "BEGIN { trace($pid); }\n" } },
};

#define NPROGRAMS	(sizeof(programs) / sizeof(programs[0]))

static void
put(FILE *out, const char *text, unsigned number)
{
	for (; text != NULL && *text != '\0'; text++)
		if (*text == '#' && text[1] != 'p')
			fprintf(out, "%u", number);
		else
			fputc(*text, out);
}

static char *
make(const struct program *p, unsigned count)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	unsigned part, i;

	ck_assert_ptr_nonnull(out);
	for (part = 0; part < 5; part++)
		for (i = 0; i < (part % 2 == 0 ? 1 : count); i++)
			put(out, p->texts[part], i);
	put(out, "BEGIN { exit(0); }\n", 0);
	fclose(out);
	return (text);
}

static bool
probe_exists(void *context, const struct d_description *d)
{
	(void)context;
	(void)d;
	return (true);
}

static enum d_class
argument(void *context, const struct d_description *d, const char *name,
    uint64_t number)
{
	(void)context;
	(void)d;
	(void)name;
	(void)number;
	return (D_CLASS_NONE);
}

/* Returns the steps of compiling a program of `count` declarations. */
static uint64_t
compile(const struct program *p, unsigned count)
{
	static const struct d_macro macros[] = { { "pid", 1 }, { NULL, 0 } };
	static const char *const words[] = { "script" };
	struct d_options options = {
		.callbacks.probe_exists = probe_exists,
		.callbacks.argument = argument,
		.macros = macros,
	};
	char *text = make(p, count);
	struct d_source source = {
		.text = text,
		.length = strlen(text),
		.is_script = true,
		.has_lines = true,
		.field = D_FIELD_NAME,
		.argc = 1,
		.argv = words,
	};
	struct d_compiler *compiler;
	struct d_error error;
	struct d_node *tree;

	steps = 0;
	compiler = d_open(&options);
	ck_assert_ptr_nonnull(compiler);
	tree = d_compile(compiler, &source, &error);
	ck_assert_msg(tree != NULL, "%s: line %d: %s", p->name, error.line,
	    error.text);
	ck_assert_msg(d_generate(compiler, &tree, 1, &error) != NULL,
	    "%s: %s", p->name, error.text);
	d_close(compiler);
	free(text);
	return (steps);
}

START_TEST(steps_are_proportional_to_declarations)
{
	const struct program *p = &programs[_i];
	uint64_t none = compile(p, 1);
	uint64_t few = compile(p, FEW) - none;
	uint64_t many = compile(p, FEW * FACTOR) - none;

	ck_assert_msg(none > 1000, "no steps are counted");
	ck_assert_msg(few > FEW && many <= few * STEPS_FACTOR,
	    "%s: %ju steps for %u, %ju for %u", p->name, (uintmax_t)few,
	    FEW, (uintmax_t)many, FEW * FACTOR);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("compiler");
	TCase *tests = tcase_create("steps");

	tcase_set_timeout(tests, 0);
	tcase_add_loop_test(tests, steps_are_proportional_to_declarations, 0,
	    NPROGRAMS);
	suite_add_tcase(suite, tests);
	return (run_suite(suite));
}
