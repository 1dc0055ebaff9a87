/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A host that knows nothing of probes, makes itself non-dumpable if it is
 * told to, and then loads an object that has them.
 *
 *	bare -t case page module[,undumpable]
 */
#include <sys/prctl.h>

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"

int
main(int argc, char **argv)
{
	struct guest_page *page;
	void (*fire)(uint64_t), *object;
	char *comma;

	if (argc != 5)
		return (2);
	page = guest_page_get(argv[3]);
	if ((comma = strchr(argv[4], ',')) != NULL) {
		*comma = '\0';
		prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	}
	object = dlopen(argv[4], RTLD_NOW | RTLD_LOCAL);
	if (object == NULL)
		return (1);
	fire = (void (*)(uint64_t))dlsym(object, "module_fire");
	guest_next(page);
	fire(1000);
	guest_next(page);
	return (dlclose(object) == 0 ? 0 : 1);
}
