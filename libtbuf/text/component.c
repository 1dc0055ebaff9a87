/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Registers components of messages, each with a probe for each level.
 */
#include <errno.h>
#include <string.h>

#include "target/self/self.h"
#include "text/remote_setting.h"
#include "text/text.h"

#define REGISTERED	1

static const enum tbuf_type types[] = {
	TBUF_STRING, TBUF_STRING, TBUF_STRING
};
static const char *const argument_names[] = { "component", "level", "text" };

/*
 * The section is one of its own, so that those before it, which each program
 * writes when it begins, fit into one page.
 */
__attribute__((section("tbuf_text")))
struct tbuf_component tbuf_assertions = {
	.name = "assert", .order = &tbuf_assertions.zero,
	.wanted = { [TBUF_SEVERE] = &tbuf_assertions.zero }
};

/* Registers a probe for each level up to `levels`.  Returns the first error. */
static int
add_probes(struct tbuf_component *c, const char *module, unsigned levels)
{
	int result = 0, error;
	unsigned level;

	for (level = TBUF_SEVERE; level <= levels; level++) {
		error = tbuf_probe_register(&c->sites[level - 1],
		    TBUF_TEXT_PROVIDER, module, c->name,
		    tbuf_text_level_name(level), 3, types, argument_names);
		if (error != 0 && result == 0)
			result = error;
	}
	return (result);
}

/* Makes all pointers valid until the component is registered. */
static void
prepare(struct tbuf_component *c)
{
	unsigned i;

	for (i = 0; i < TBUF_LEVELS; i++)
		c->wanted[i] = &c->zero;
	c->order = &c->zero;
}

static int
add(struct tbuf_component *c, unsigned levels)
{
	char module[256];
	int error;

	tbuf_module_name(c, module, sizeof(module));
	error = add_probes(c, module, levels);
	if (error == -EINVAL || error == -EBUSY)
		return (error);
	if (!tbuf_text_lock())
		return (-EBUSY);
	c->next = tbuf_components;
	tbuf_components = c;
	c->state = REGISTERED;
	tbuf_store(&c->order, tbuf_text_order_word(&c->zero));
	tbuf_component_point(c, tbuf_text_traced(c->name));
	tbuf_text_unlock();
	return (error);
}

int
tbuf_component_register(struct tbuf_component *c)
{
	int saved = errno, error;

	if (c->state == REGISTERED)
		return (0);
	prepare(c);
	if ((error = tbuf_text_begin()) == 0) {
		if (tbuf_assertions.state != REGISTERED)
			(void)add(&tbuf_assertions, TBUF_SEVERE);
		error = add(c, TBUF_FLOW);
	}
	errno = saved;
	return (error);
}

void
tbuf_component_unregister(struct tbuf_component *c)
{
	struct tbuf_component **p;
	unsigned i;

	if (c->state != REGISTERED || !tbuf_text_lock())
		return;
	for (p = &tbuf_components; *p != NULL && *p != c; p = &(*p)->next)
		continue;
	if (*p != NULL)
		*p = c->next;
	for (i = 0; i < TBUF_LEVELS; i++)
		tbuf_store(&c->wanted[i], &c->zero);
	c->state = 0;
	tbuf_text_unlock();
	for (i = 0; i < TBUF_FLOW; i++)
		tbuf_probe_unregister(&c->sites[i]);
}
