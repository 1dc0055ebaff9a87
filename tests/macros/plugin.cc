/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A shared object that plugin_host.c loads and unloads.
 */
#include "inline.h"

/*
 * std::string is not used: its symbols would bind this object to libstdc++,
 * which is never unloaded.
 */
struct word {
	struct traits_type {
		typedef char char_type;
	};
	const char *data() const { return "plugin"; }
	size_t size() const { return 6; }
};

extern "C" __attribute__((visibility("default"))) int plugin_run(int x);

extern "C" int
plugin_run(int x)
{
	Widget widget(x);

	TBUF_PROBE(test, in__plugin, x, word());
	return inline_probe(comdat_probe(x)) + template_probe(x);
}
