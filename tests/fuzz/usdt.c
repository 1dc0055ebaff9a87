/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Files that describe USDT probes.  The first byte chooses: notes of an object
 * file, operands, or a provider file.
 */
#include <sys/mman.h>

#include <unistd.h>

#include "../../providers/usdt/description.h"
#include "../../providers/usdt/operand.h"
#include "../../providers/usdt/probe.h"
#include "../../providers/usdt/symbol.h"
#include "support/fuzz.h"

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return (0);
}

static void
check_probe(const struct usdt_probe *p)
{
	unsigned i;

	FUZZ_CHECK(p->nargs <= TBUF_ARGS_MAX);
	FUZZ_CHECK(*p->provider != '\0' && *p->name != '\0');
	FUZZ_CHECK(strpbrk(p->name, ":, \t\n") == NULL);
	for (i = 0; i < p->nargs; i++)
		FUZZ_CHECK(p->types[i] > TBUF_NONE &&
		    p->types[i] <= TBUF_BINARY);
}

static void
try_symbols(int fd)
{
	struct usdt_symbols symbols;
	uint64_t address;
	const char *name;

	usdt_symbols_read(&symbols, fd);
	if (usdt_symbol_find(&symbols, "hidden", &address))
		FUZZ_CHECK(symbols.count > 0);
	name = usdt_symbol_function(&symbols, 0x1140);
	if (name != NULL)
		FUZZ_CHECK(strlen(name) < symbols.names_size);
	usdt_symbols_free(&symbols);
}

/* Reads notes: each read must advance, and strings end within the notes. */
static void
try_object(int fd)
{
	struct usdt_probe probe = { .nargs = 0 };
	struct usdt_object object;
	struct usdt_note note;
	size_t at = 0, before = 0, bytes;

	try_symbols(fd);
	if (usdt_object_read(&object, fd) != NULL) {
		FUZZ_CHECK(object.notes == NULL);
		return;
	}
	while (usdt_note_next(&object, &at, &note)) {
		FUZZ_CHECK(at > before && at <= object.size);
		before = at;
		bytes = strlen(note.provider) + strlen(note.name) +
		    strlen(note.operands);
		FUZZ_CHECK(bytes < object.size);
		if (*probe.provider != '\0' && usdt_probe_has(&probe, &note))
			usdt_probe_add(&probe, &note);
		else if (!usdt_probe_make(&probe, &note))
			probe.provider[0] = '\0';
		else
			check_probe(&probe);
	}
	usdt_object_free(&object);
}

static void
try_operands(const char *text, usdt_place_parse *parse, unsigned nregisters)
{
	static const uint64_t registers[USDT_REGISTERS] = { 1, ~(uint64_t)0, 3 };
	struct usdt_operand o;
	const char *before = text;
	uint64_t value;

	for (; usdt_operand_parse_by(parse, &text, &o); before = text) {
		FUZZ_CHECK(text > before && usdt_operand_skip(before) == text);
		FUZZ_CHECK(o.width == 1 || o.width == 2 || o.width == 4 ||
		    o.width == 8);
		FUZZ_CHECK((o.base < nregisters ||
		    o.base == USDT_NO_REGISTER) && (o.index < nregisters ||
		    o.index == USDT_NO_REGISTER));
		FUZZ_CHECK(o.symbol == NULL || (o.symbol >= before &&
		    o.symbol + o.length <= text));
		if (o.place == USDT_MEMORY)
			continue;
		FUZZ_CHECK(o.place == USDT_CONSTANT ||
		    o.base < nregisters);
		value = usdt_operand_value(&o, registers);
		FUZZ_CHECK(o.width == 8 || o.is_signed ||
		    value >> 8 * o.width == 0);
	}
	FUZZ_CHECK(text == before);
}

/* Checks that counting and skipping of operands agree. */
static void
try_all_operands(const char *text)
{
	unsigned n = usdt_operands_count(text), i;

	text += strspn(text, " \t");
	try_operands(text, usdt_place_x86_64, 16);
	try_operands(text, usdt_place_aarch64, 32);
	for (i = 0; i < n; i++)
		text = usdt_operand_skip(text);
	FUZZ_CHECK(*text == '\0');
}

static void
visit(void *probe, const struct usdt_description *d)
{
	unsigned i;

	FUZZ_CHECK(d->nargs <= USDT_ARGUMENTS);
	FUZZ_CHECK(strlen(d->provider) < USDT_NAME);
	FUZZ_CHECK(*d->name != '\0' && strlen(d->name) < USDT_NAME);
	for (i = 0; i < d->nargs; i++) {
		FUZZ_CHECK(d->args[i].type <= TBUF_BINARY);
		FUZZ_CHECK(strlen(d->args[i].name) < USDT_NAME);
	}
	usdt_probe_describe(probe, d);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct usdt_note note = {
		.provider = "a", .name = "b", .operands = "1@$1 8@%rax"
	};
	struct input in = { data, size };
	unsigned what = (unsigned)input_take(&in, 1) % 3, line;
	struct usdt_probe probe;
	char *text;
	int fd;

	if (what == 0) {
		fd = memfd_create("object", MFD_CLOEXEC);
		FUZZ_CHECK(fd != -1 && write(fd, in.at, in.size) ==
		    (ssize_t)in.size);
		try_object(fd);
		(void)close(fd);
		return (0);
	}
	text = input_text(&in);
	if (what == 1)
		try_all_operands(text);
	else {
		FUZZ_CHECK(usdt_probe_make(&probe, &note));
		(void)usdt_describe(text, visit, &probe, &line);
		check_probe(&probe);
	}
	free(text);
	return (0);
}
