/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <stdlib.h>
#include <string.h>

#include "section.h"
#include "symbol.h"

#define SYMBOLS_MAX	(1u << 28)	/* bytes of the table */
#define NAMES_MAX	(1u << 28)	/* bytes of the names */

/* Returns a section with a NUL, which usdt_table_free() frees, or NULL. */
static void *
copy(int fd, const Elf64_Shdr *section, size_t max)
{
	uint64_t size = section->sh_size;
	void *bytes;

	if (size == 0 || size > max || (bytes = usdt_table(size + 1)) == NULL)
		return (NULL);
	if (usdt_read_at(fd, bytes, size, section->sh_offset))
		return (bytes);
	usdt_table_free(bytes, size + 1);
	return (NULL);
}

static void
read_table(struct usdt_symbols *symbols, int fd, const char *table_name,
    const char *names_name, unsigned type)
{
	const Elf64_Shdr *table, *names;
	struct usdt_sections s;

	*symbols = (struct usdt_symbols){ .count = 0 };
	if (usdt_sections_read(&s, fd) == NULL &&
	    (table = usdt_sections_find(&s, table_name)) != NULL &&
	    (names = usdt_sections_find(&s, names_name)) != NULL &&
	    table->sh_type == type &&
	    table->sh_entsize == sizeof(Elf64_Sym)) {
		symbols->all_size = table->sh_size;
		symbols->all = copy(fd, table, SYMBOLS_MAX);
		symbols->names_size = names->sh_size;
		symbols->names = copy(fd, names, NAMES_MAX);
		if (symbols->all != NULL && symbols->names != NULL)
			symbols->count = table->sh_size / sizeof(Elf64_Sym);
	}
	usdt_sections_free(&s);
}

void
usdt_symbols_read(struct usdt_symbols *symbols, int fd)
{
	read_table(symbols, fd, ".symtab", ".strtab", SHT_SYMTAB);
}

void
usdt_symbols_read_loader(struct usdt_symbols *symbols, int fd)
{
	read_table(symbols, fd, ".dynsym", ".dynstr", SHT_DYNSYM);
}

void
usdt_symbols_free(struct usdt_symbols *symbols)
{
	usdt_table_free(symbols->all, symbols->all_size + 1);
	usdt_table_free(symbols->names, symbols->names_size + 1);
	free(symbols->functions);
}

/* Returns true for a symbol with an address in the object. */
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

/* ------------------------------------------------------------ functions */

struct usdt_function {
	const Elf64_Sym *symbol;
	uint64_t end;		/* of it, or of one before that goes further */
};

static bool
is_function(const struct usdt_symbols *symbols, const Elf64_Sym *symbol)
{
	unsigned type = ELF64_ST_TYPE(symbol->st_info);

	return (symbol->st_shndx != SHN_UNDEF && (type == STT_FUNC ||
	    type == STT_GNU_IFUNC) && symbol->st_name < symbols->names_size);
}

static int
by_value(const void *a, const void *b)
{
	const Elf64_Sym *left = ((const struct usdt_function *)a)->symbol;
	const Elf64_Sym *right = ((const struct usdt_function *)b)->symbol;

	return ((left->st_value > right->st_value) -
	    (left->st_value < right->st_value));
}

/* Sorts functions, as a program may have many sites that search them. */
static void
functions_sort(struct usdt_symbols *symbols)
{
	struct usdt_function *f = calloc(symbols->count, sizeof(*f));
	uint64_t end = 0, size;
	size_t i, n = 0;

	if ((symbols->functions = f) == NULL)
		return;
	for (i = 0; i < symbols->count; i++)
		if (is_function(symbols, &symbols->all[i]))
			f[n++].symbol = &symbols->all[i];
	qsort(f, n, sizeof(*f), by_value);
	for (i = 0; i < n; i++) {
		size = f[i].symbol->st_size;
		if (size > UINT64_MAX - f[i].symbol->st_value)
			size = UINT64_MAX - f[i].symbol->st_value;
		if (f[i].symbol->st_value + size > end)
			end = f[i].symbol->st_value + size;
		f[i].end = end;
	}
	symbols->nfunctions = n;
}

/* Returns the number of functions that begin at the address, or before. */
static size_t
functions_before(const struct usdt_symbols *symbols, uint64_t address)
{
	size_t low = 0, high = symbols->nfunctions, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (symbols->functions[middle].symbol->st_value <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return (low);
}

/* Returns true for the better name: global ones, then the first. */
static bool
is_better(const Elf64_Sym *symbol, const Elf64_Sym *best)
{
	bool local = ELF64_ST_BIND(symbol->st_info) == STB_LOCAL;

	if (best == NULL || local != (ELF64_ST_BIND(best->st_info) ==
	    STB_LOCAL))
		return (best == NULL || !local);
	return (symbol < best);
}

const char *
usdt_symbol_function(struct usdt_symbols *symbols, uint64_t address)
{
	const Elf64_Sym *best = NULL, *symbol;
	size_t i;

	if (symbols->functions == NULL && symbols->count > 0)
		functions_sort(symbols);
	for (i = functions_before(symbols, address); i > 0 &&
	    symbols->functions[i - 1].end > address; i--) {
		symbol = symbols->functions[i - 1].symbol;
		if (address - symbol->st_value < symbol->st_size &&
		    is_better(symbol, best))
			best = symbol;
	}
	return (best == NULL ? NULL : symbols->names + best->st_name);
}
