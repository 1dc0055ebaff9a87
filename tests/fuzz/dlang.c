/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The D compiler.  The input is a byte of options and a program, which compiles
 * or is in error; with some options twice, with the same result.  The verifier
 * must accept the generated programs, and the machine runs them.
 */
#include "compiler/runner.h"
#include "support/fuzz.h"
#include "tbufd.h"

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return (0);
}

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
	(void)d;
	for (i = 0; i < 4; i++)
		if (name != NULL ? strcmp(names[i], name) == 0 : number == i)
			return (classes[i]);
	return (D_CLASS_NONE);
}

static struct d_node *
generate(struct d_compiler *compiler, struct d_node *node,
    struct d_error *error, FILE *f)
{
	const struct tbuf_d_script *script = d_generate(compiler, &node, 1,
	    error);

	if (script == NULL)
		return (NULL);
	FUZZ_CHECK(runner_run(script, f));
	return (node);
}

/* Returns the output as text; the caller frees it. */
static char *
compile(const char *text, size_t length, unsigned flags)
{
	static const char *const argv[] = { "fuzz", "12", "name", "a b" };
	const struct d_macro macros[] = { { "pid", 1 }, { NULL, 0 } };
	struct d_options options = {
		.macros = macros, .defaultargs = (flags & 1) != 0,
		.argref = true, .pspec = (flags & 2) != 0,
		.scratchsize = 64, .callbacks.argument = argument,
	};
	struct d_source source = {
		.text = text, .length = length, .is_script = (flags & 4) == 0,
		.has_lines = (flags & 4) == 0,
		.field = D_FIELD_NAME, .argc = 4, .argv = argv,
	};
	struct d_compiler *compiler = d_open(&options);
	struct d_error error = { 0 };
	struct d_node *node;
	char *out = NULL;
	size_t size;
	FILE *f = open_memstream(&out, &size);

	FUZZ_CHECK(compiler != NULL && f != NULL);
	node = (flags & 8) != 0 ? d_parse(compiler, &source, &error) :
	    d_compile(compiler, &source, &error);
	if (node != NULL && (flags & 8) == 0)
		node = generate(compiler, node, &error, f);
	if (node != NULL)
		d_dump(node, f);
	else {
		FUZZ_CHECK(strncmp(error.tag, "D_", 2) == 0);
		FUZZ_CHECK(error.text[0] != '\0');
		d_error_print(&error, true, f);
	}
	d_close(compiler);
	fclose(f);
	return (out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	unsigned flags = (unsigned)input_take(&in, 1);
	char *first, *second;

	first = compile((const char *)in.at, in.size, flags);
	if ((flags & 0x30) == 0) {
		second = compile((const char *)in.at, in.size, flags);
		FUZZ_CHECK(strcmp(first, second) == 0);
		free(second);
	}
	free(first);
	return (0);
}
