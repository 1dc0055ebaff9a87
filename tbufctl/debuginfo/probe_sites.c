/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads probe sites from a file.  A site's pointer is in its bytes, or in a
 * relocation that is applied when the file is loaded.  Both are addresses in a
 * segment of the file.
 */
#include <elf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include <tbuf.h>

#include "base/messages.h"
#include "dwarf.h"
#include "probe_sites.h"
#include "target/probe/site_text.h"

#define SITES_MAX	65536u
#define TEXT_MAX	4096u

#ifdef __aarch64__
#define MACHINE		EM_AARCH64
#define RELATIVE	R_AARCH64_RELATIVE
#else
#define MACHINE		EM_X86_64
#define RELATIVE	R_X86_64_RELATIVE
#endif

struct file {
	Elf *elf;
	const char *bytes;
	size_t size;
	Elf_Data *relocations;		/* .rela.dyn: sites' and others */
	size_t nrelocations;
	GElf_Addr address;		/* of the sites' ELF section */
};

/* Returns a copy of the string at an address; NULL if there is none. */
static char *
text_at(const struct file *file, uint64_t address)
{
	GElf_Phdr segment;
	size_t count, i, length;
	const char *text;
	uint64_t at;

	if (elf_getphdrnum(file->elf, &count) != 0)
		return (NULL);
	for (i = 0; i < count; i++) {
		if (gelf_getphdr(file->elf, (int)i, &segment) == NULL ||
		    segment.p_type != PT_LOAD || address < segment.p_vaddr ||
		    address - segment.p_vaddr >= segment.p_filesz)
			continue;
		at = address - segment.p_vaddr + segment.p_offset;
		if (at < segment.p_offset || at >= file->size)
			return (NULL);
		text = file->bytes + at;
		length = strnlen(text, file->size - at < TEXT_MAX ?
		    file->size - at : TEXT_MAX);
		if (length == TEXT_MAX || length == file->size - at)
			return (NULL);
		return (memory_string(text));
	}
	return (NULL);
}

static uint64_t
pointer(const struct file *file, uint64_t address, uint64_t in_place)
{
	GElf_Rela rela;
	size_t i;

	for (i = 0; i < file->nrelocations; i++)
		if (gelf_getrela(file->relocations, (int)i, &rela) != NULL &&
		    rela.r_offset == address &&
		    GELF_R_TYPE(rela.r_info) == RELATIVE)
			return ((uint64_t)rela.r_addend);
	return (in_place);
}

/* ------------------------------------------------------------ one site */

struct tbuf_probe_info *
sites_add(struct sites *sites)
{
	if (sites->count == sites->room) {
		sites->room = sites->room == 0 ? 32 : 2 * sites->room;
		sites->all = memory_get(sites->all, sites->room,
		    sizeof(*sites->all));
	}
	return (&sites->all[sites->count++]);
}

static void
add(struct sites *sites, const struct dwarf_module *module,
    const struct tbuf_site *site, const struct tbuf_sitetext *text,
    const char *function)
{
	struct tbuf_probe_info *one;
	unsigned i;

	one = sites_add(sites);
	*one = (struct tbuf_probe_info){
		.provider = memory_string(text->provider),
		.module = memory_string(module->name),
		.function = memory_string(function),
		.name = memory_string(text->name), .nargs = site->nargs
	};
	for (i = 0; i < site->nargs; i++) {
		one->types[i] = site->types[i];
		one->argnames[i] = memory_string(text->arguments[i]);
	}
}

static void
read_site(struct sites *sites, const struct dwarf_module *module,
    const struct file *file, const struct tbuf_site *site, uint64_t address)
{
	char function[TBUF_SITETEXT_FIELD] = "", *text, *spelt;
	struct tbuf_sitetext parsed;

	if (site->version != TBUF_SITE_VERSION ||
	    site->kind != TBUF_SITE_PROBE || site->nargs > TBUF_ARGS_MAX)
		return;
	text = text_at(file, pointer(file, address +
	    offsetof(struct tbuf_site, text), (uintptr_t)site->text));
	spelt = text_at(file, pointer(file, address +
	    offsetof(struct tbuf_site, function), (uintptr_t)site->function));
	if (spelt != NULL)
		tbuf_sitetext_function(spelt, function);
	if (text != NULL &&
	    tbuf_sitetext_parse(text, site->nargs, &parsed) == 0)
		add(sites, module, site, &parsed, function);
	free(text);
	free(spelt);
}

static void
read_sites(struct sites *sites, const struct dwarf_module *module,
    const struct file *file, Elf_Data *data)
{
	struct tbuf_site site;
	size_t at;

	for (at = 0; data->d_size - at >= sizeof(site) &&
	    sites->count < SITES_MAX; at += sizeof(site)) {
		memcpy(&site, (char *)data->d_buf + at, sizeof(site));
		read_site(sites, module, file, &site, file->address + at);
	}
}

/* ------------------------------------------------------------ the file */

/*
 * Returns the data of the ELF section with this name, and its header; or NULL.
 */
static Elf_Data *
find(Elf *elf, const char *name, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;
	size_t names;
	const char *its;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return (NULL);
	while ((section = elf_nextscn(elf, section)) != NULL) {
		if (gelf_getshdr(section, header) == NULL ||
		    header->sh_type == SHT_NOBITS)
			continue;
		its = elf_strptr(elf, names, header->sh_name);
		if (its != NULL && strcmp(its, name) == 0)
			return (elf_getdata(section, NULL));
	}
	return (NULL);
}

void
sites_read(struct sites *sites, const struct dwarf_module *module)
{
	struct file file = { .bytes = NULL };
	GElf_Addr bias;
	GElf_Shdr header;
	GElf_Ehdr whole;
	Elf_Data *data;

	file.elf = dwfl_module_getelf(module->module, &bias);
	if (file.elf == NULL || gelf_getehdr(file.elf, &whole) == NULL ||
	    whole.e_machine != MACHINE ||
	    whole.e_ident[EI_CLASS] != ELFCLASS64 ||
	    (file.bytes = elf_rawfile(file.elf, &file.size)) == NULL)
		return;
	file.relocations = find(file.elf, ".rela.dyn", &header);
	if (file.relocations != NULL && header.sh_type == SHT_RELA)
		file.nrelocations = file.relocations->d_size /
		    sizeof(Elf64_Rela);
	data = find(file.elf, "tbuf_sites", &header);
	file.address = header.sh_addr;
	if (data != NULL && data->d_buf != NULL)
		read_sites(sites, module, &file, data);
}

void
sites_free(struct sites *sites)
{
	struct tbuf_probe_info *one;
	size_t i;
	unsigned n;

	for (i = 0; i < sites->count; i++) {
		one = &sites->all[i];
		free((void *)(uintptr_t)one->provider);
		free((void *)(uintptr_t)one->module);
		free((void *)(uintptr_t)one->function);
		free((void *)(uintptr_t)one->name);
		for (n = 0; n < one->nargs; n++)
			free((void *)(uintptr_t)one->argnames[n]);
	}
	free(sites->all);
}
