/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tickets for the path of a trace file that another process sets.
 */
#include <sys/stat.h>

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "shared/text_ticket.h"
#include "target/file/file.h"
#include "text/remote_setting.h"

/*
 * Returns true if only this user or root can have made and can change the file,
 * and it contains the path and nothing else.
 */
static bool
confirms(int fd, const char *path)
{
	char text[TBUF_TEXT_PATH_MAX];
	size_t n = strlen(path);
	struct stat st;

	return (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    (st.st_uid == geteuid() || st.st_uid == 0) && st.st_nlink == 1 &&
	    (st.st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
	    st.st_size == (off_t)n && n <= sizeof(text) &&
	    pread(fd, text, n, 0) == (ssize_t)n && memcmp(text, path, n) == 0);
}

/*
 * The name of the control file is that in this process's own memory.  Of
 * several threads, only the one that removes the file has taken it.
 */
bool
tbuf_text_ticket_take(uint64_t ticket, const char *path)
{
	int dirfd = tbuf_directory_open_kept(false), fd;
	char name[TBUF_TICKET_NAME_MAX];
	bool taken;

	if (dirfd < 0)
		return (false);
	tbuf_ticket_name(name, tbuf_file.name, ticket);
	fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
	    O_NOCTTY | O_CLOEXEC);
	taken = fd != -1 && confirms(fd, path) &&
	    unlinkat(dirfd, name, 0) == 0;
	if (fd != -1)
		close(fd);
	close(dirfd);
	return (taken);
}
