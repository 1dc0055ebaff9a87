/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Declarations of providers and their probes.  They are only checked; programs
 * define their own probes and arguments.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "declare.h"
#include "tree/constant.h"
#include "tree/errors.h"
#include "tree/tree.h"

#define NAME_MAX_LENGTH	63u
#define PARAMETERS_MAX	255u

/* Returns a probe's name, in which two underscores are a hyphen. */
static const char *
probe_name(struct d_compiler *c, const char *name)
{
	char *text = d_allocate(c, strlen(name) + 3), *to = text;

	*to++ = ':';
	*to++ = ':';
	for (; *name != '\0'; name++) {
		if (strncmp(name, "__", 2) == 0)
			*to++ = *++name == '\0' ? '_' : '-';
		else
			*to++ = *name;
	}
	return (text);
}

static void
check_parameters(struct d_compiler *c, const struct d_node *probe,
    struct d_node *list, const char *what, unsigned allowed)
{
	char kind[sizeof("probe output")];
	unsigned count;

	(void)snprintf(kind, sizeof(kind), "probe %s", what);
	count = d_declare_prototype(c, list, probe->left, kind, allowed);
	if (count > PARAMETERS_MAX)
		d_fail(c, D_PROV_PRARGLEN, "probe %s %s prototype exceeds %u "
		    "parameters: %u params used", probe->text, what,
		    PARAMETERS_MAX, count);
}

struct d_node *
d_provider_probe(struct d_compiler *c, const char *name,
    struct d_node *input, struct d_node *output)
{
	struct d_node *probe = d_node_make(c, NODE_PROBE);

	probe->text = probe_name(c, name);
	probe->left = input;
	probe->right = output;
	if (strchr(name, '`') != NULL)
		d_fail(c, D_PROV_BADNAME, "probe name may not contain scoping "
		    "operator: %s", probe->text);
	if (strlen(probe->text + 2) > NAME_MAX_LENGTH)
		d_fail(c, D_PROV_BADNAME, "probe name may not exceed %u "
		    "characters: %s", NAME_MAX_LENGTH, probe->text);
	check_parameters(c, probe, input, "input",
	    PROTOTYPE_VOID | PROTOTYPE_NAMELESS);
	if (output != NULL)
		check_parameters(c, probe, output, "output", PROTOTYPE_VOID);
	return (probe);
}

static void
check_twice(struct d_compiler *c, const char *name,
    const struct d_node *probes)
{
	struct d_name *names = NULL, *entry;
	const struct d_node *one;

	for (one = probes; one != NULL; one = one->next) {
		if (d_names_find(names, one->text) != NULL)
			d_fail_at(c, one, D_PROV_PRDUP,
			    "probe redeclared: %s:%s", name, one->text);
		entry = d_allocate(c, sizeof(*entry));
		entry->text = one->text;
		d_names_add(&names, entry, d_name_hash(one->text));
	}
}

struct d_node *
d_provider(struct d_compiler *c, const char *name, struct d_node *probes)
{
	struct d_node *provider = d_node_make(c, NODE_PROVIDER);
	size_t length = strlen(name);

	provider->text = name;
	provider->arguments = probes;
	if (strchr(name, '`') != NULL)
		d_fail(c, D_PROV_BADNAME, "provider name may not contain "
		    "scoping operator: %s", name);
	if (length > NAME_MAX_LENGTH)
		d_fail(c, D_PROV_BADNAME, "provider name may not exceed %u "
		    "characters: %s", NAME_MAX_LENGTH, name);
	if (isdigit((unsigned char)name[length - 1]))
		d_fail(c, D_PROV_BADNAME, "provider name may not end with a "
		    "digit: %s", name);
	check_twice(c, name, probes);
	d_pragmas_declare(c, name);
	return (provider);
}
