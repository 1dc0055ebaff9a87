/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <stdlib.h>
#include <string.h>

#include "section.h"
#include "symbol.h"

#define SYMBOLS_MAX	(1u << 28)	/* bytes of the table */
#define NAMES_MAX	(1u << 28)	/* bytes of the names */

void
usdt_symbols_read(struct usdt_symbols *symbols, int fd)
{
	const Elf64_Shdr *table, *names;
	struct usdt_sections s;

	*symbols = (struct usdt_symbols){ .count = 0 };
	if (usdt_sections_read(&s, fd) == NULL &&
	    (table = usdt_sections_find(&s, ".symtab")) != NULL &&
	    (names = usdt_sections_find(&s, ".strtab")) != NULL &&
	    table->sh_type == SHT_SYMTAB &&
	    table->sh_entsize == sizeof(Elf64_Sym)) {
		symbols->all = usdt_copy(fd, table->sh_offset, table->sh_size,
		    SYMBOLS_MAX);
		symbols->names_size = names->sh_size;
		symbols->names = usdt_copy(fd, names->sh_offset,
		    names->sh_size, NAMES_MAX);
		if (symbols->all != NULL && symbols->names != NULL)
			symbols->count = table->sh_size / sizeof(Elf64_Sym);
	}
	usdt_sections_free(&s);
}

void
usdt_symbols_free(struct usdt_symbols *symbols)
{

	free(symbols->all);
	free(symbols->names);
}

/* Something that has an address in the object. */
static bool
is_variable(const Elf64_Sym *symbol)
{
	unsigned type = ELF64_ST_TYPE(symbol->st_info);

	return (symbol->st_shndx != SHN_UNDEF &&
	    symbol->st_shndx != SHN_ABS && (type == STT_OBJECT ||
	    type == STT_NOTYPE || type == STT_FUNC));
}

bool
usdt_symbol_find(const struct usdt_symbols *symbols, const char *name,
    uint64_t *address)
{
	const Elf64_Sym *symbol = symbols->all;
	const Elf64_Sym *end = symbol + symbols->count;
	bool found = false;

	for (; symbol < end; symbol++) {
		if (symbol->st_name >= symbols->names_size ||
		    !is_variable(symbol) ||
		    strcmp(symbols->names + symbol->st_name, name) != 0)
			continue;
		if (found && symbol->st_value != *address)
			return (false);
		*address = symbol->st_value;
		found = true;
	}
	return (found);
}

static bool
is_function_at(const Elf64_Sym *symbol, uint64_t address)
{
	unsigned type = ELF64_ST_TYPE(symbol->st_info);

	return (symbol->st_shndx != SHN_UNDEF && (type == STT_FUNC ||
	    type == STT_GNU_IFUNC) && address >= symbol->st_value &&
	    address - symbol->st_value < symbol->st_size);
}

const char *
usdt_symbol_function(const struct usdt_symbols *symbols, uint64_t address)
{
	const Elf64_Sym *symbol = symbols->all;
	const Elf64_Sym *end = symbol + symbols->count;
	const char *name = NULL;

	for (; symbol < end; symbol++) {
		if (symbol->st_name >= symbols->names_size ||
		    !is_function_at(symbol, address))
			continue;
		if (ELF64_ST_BIND(symbol->st_info) != STB_LOCAL)
			return (symbols->names + symbol->st_name);
		if (name == NULL)
			name = symbols->names + symbol->st_name;
	}
	return (name);
}
