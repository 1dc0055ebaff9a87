/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The runtime directory of a run.
 */
#include "consumer/run/run.h"
#include "shared/control_file.h"

int
tbuf_consumer_directory(struct tbuf_consumer *c, bool make)
{
	int fd;

	if (c->directory != -1)
		return (c->directory);
	if ((fd = tbuf_directory_open(make)) >= 0)
		c->directory = fd;
	return (fd);
}
