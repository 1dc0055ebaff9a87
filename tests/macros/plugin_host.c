/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Loads, traces and unloads an object with probes repeatedly: its sites are
 * removed with it, and nothing of the macros prevents its unloading.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "fake.h"
#include "inline.h"

/* Converts the void * that dlsym(3) returns to a function pointer. */
union symbol {
	void *pointer;
	int (*run)(int);
};

static void *
load(const char *path, int flags)
{
	return (dlopen(path, RTLD_NOW | flags));
}

static void
round_trip(const char *path)
{
	union symbol symbol;
	void *plugin = load(path, RTLD_LOCAL);

	if (plugin == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		exit(EXIT_FAILURE);
	}
	EXPECT(fake_sites("in-plugin", "plugin_run") >= 1);
	EXPECT(fake_sites("in-comdat", NULL) >= 1);
	EXPECT(fake_enable("in-plugin", 1) >= 1);
	EXPECT(fake_enable("in-constructor", 1) >= 1);
	symbol.pointer = dlsym(plugin, "plugin_run");
	EXPECT_INTEGER(symbol.run(5), -5);
	EXPECT_INTEGER(fake_fires(), 2);
	EXPECT_BYTES(1, "arg1", TBUF_STRING_SIZED, "plugin", 6);
	EXPECT_INTEGER(dlclose(plugin), 0);
	EXPECT(load(path, RTLD_NOLOAD) == NULL);
	EXPECT_INTEGER(fake_sites("in-plugin", NULL), 0);
	EXPECT_INTEGER(fake_sites("in-comdat", NULL), 0);
	EXPECT(fake_sites("in-inline", NULL) >= 1);
}

int
main(int argc, char *argv[])
{
	int round;

	if (argc != 2)
		return (EXIT_FAILURE);
	EXPECT_INTEGER(inline_probe(1), -1);
	for (round = 0; round < 3; round++)
		round_trip(argv[1]);
	return (fake_end());
}
