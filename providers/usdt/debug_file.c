/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "debug_file.h"
#include "note.h"

#define DEBUG		"/usr/lib/debug/.build-id/"

/* The file may lack notes, which is an error, but it has the id. */
static bool
has_id(int fd, const unsigned char *id, size_t size)
{
	struct usdt_object file;
	bool has;

	(void)usdt_object_read(&file, fd);
	has = file.build_id_size == size &&
	    memcmp(file.build_id, id, size) == 0;
	usdt_object_free(&file);
	return (has);
}

int
usdt_debug_open(const unsigned char *id, size_t size)
{
	char path[sizeof(DEBUG) + 2 * USDT_BUILD_ID + sizeof("/.debug")];
	char *p = path + sizeof(DEBUG) - 1;
	size_t i;
	int fd;

	if (size < 2 || size > USDT_BUILD_ID)
		return (-1);
	memcpy(path, DEBUG, sizeof(DEBUG));
	for (i = 0; i < size; i++)
		p += sprintf(p, i == 0 ? "%02x/" : "%02x", id[i]);
	strcpy(p, ".debug");
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd != -1 && !has_id(fd, id, size)) {
		close(fd);
		return (-1);
	}
	return (fd);
}
