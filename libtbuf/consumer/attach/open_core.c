/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Opens the sessions in a core: those in its core image of the control file,
 * or else those in the file itself, if the core's notes have its name.  Both
 * are read as any control file is (open_file.c).
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "consumer/attach/attach.h"
#include "consumer/files/core_elf.h"

/* Why no session was found. */
struct verdict {
	int error;
	char words[TBUF_PROBLEM_MAX];
};

/* Adds the sessions of all images.  Returns how many images had some. */
static unsigned
add_images(struct tbuf_consumer *c, struct tbuf_images *images,
    struct verdict *verdict)
{
	struct tbuf_image *image = images->images;
	unsigned added = 0;
	size_t i;

	for (i = 0; i < images->count; i++, image++) {
		/* This is the page of the sign of life only. */
		if (image->size < image->control.tables.areas)
			continue;
		verdict->error = tbuf_image_add(c, image->fd, image->cut,
		    verdict->words);
		image->fd = -1;
		added += verdict->error == 0;
	}
	return (added);
}

/*
 * Returns true if the file is that of the core's process.  The name has 64
 * random bits, drawn once, and the core's copies of the header have to agree
 * with the file.
 */
static bool
belongs(const struct tbuf_core *core, const struct tbuf_images *images,
    int fd, const char *name)
{
	struct tbuf_control control;
	uint64_t random;
	struct stat st;
	pid_t pid;
	size_t i;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
	    !tbuf_file_read(fd, &control, sizeof(control), 0) ||
	    !tbuf_control_name_parse(name, &pid, &random) ||
	    control.pid != (uint32_t)pid || control.random != random ||
	    core->pid != pid)
		return (false);
	for (i = 0; i < images->count; i++)
		if (images->images[i].control.random == random &&
		    images->images[i].control.start != control.start)
			return (false);
	return (true);
}

/* Opens the file named in the notes.  Returns true if it had sessions. */
static bool
add_path(struct tbuf_consumer *c, const struct tbuf_core *core,
    const struct tbuf_images *images, const struct tbuf_core_path *path,
    struct verdict *verdict)
{
	const char *name = strrchr(path->path, '/') + 1;
	const char *problem = NULL;
	int fd = -1;

	verdict->error = -ENODATA;
	if (path->deleted)
		problem = "it had been removed";
	else if ((fd = open(path->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
	    O_CLOEXEC)) == -1)
		problem = strerror(errno);
	else if (!belongs(core, images, fd, name))
		problem = "it belongs to another process";
	else {
		verdict->error = tbuf_file_add(c, fd, verdict->words);
		return (verdict->error >= 0);
	}
	if (fd != -1)
		close(fd);
	tbuf_copy(verdict->words, problem, sizeof(verdict->words));
	return (false);
}

static int
no_session(struct tbuf_consumer *c, const struct tbuf_core *core,
    const char *path, const struct verdict *verdict)
{
	const char *it = core->truncated ? "it is truncated, and" : "it";
	size_t last = core->npaths - 1;

	if (core->npaths == 0)
		return (tbuf_consumer_fail(c, -ENODATA, "failed to read %s: "
		    "%s has no session", path, it));
	return (tbuf_consumer_fail(c, verdict->error, "failed to read %s: "
	    "%s has no session, nor has %s: %s", path, it,
	    core->paths[last].path, verdict->words));
}

static int
add_paths(struct tbuf_consumer *c, const struct tbuf_core *core,
    const struct tbuf_images *images, const char *path)
{
	struct verdict verdict = { .error = -ENODATA };
	size_t i;

	for (i = 0; i < core->npaths; i++) {
		if (!add_path(c, core, images, &core->paths[i], &verdict))
			continue;
		tbuf_consumer_fail(c, 0, "%s has no session: reading %s%s",
		    path, core->paths[i].path, verdict.error == 0 ? "" :
		    ", which is truncated");
		return (1);
	}
	return (no_session(c, core, path, &verdict));
}

static int
add_core(struct tbuf_consumer *c, struct tbuf_core *core, const char *path)
{
	struct verdict verdict = { .error = 0 };
	struct tbuf_images images;
	int error;

	if ((error = tbuf_images_find(core, &images)) != 0)
		tbuf_consumer_fail(c, error, "failed to read %s: %s", path,
		    error == -EFBIG ? "its buffers exceed 4 GiB" :
		    strerror(-error));
	else if (add_images(c, &images, &verdict) != 0) {
		if ((error = core->truncated) != 0)
			tbuf_consumer_fail(c, 0, "%s is truncated: read as "
			    "far as it goes", path);
	} else {
		if (core->npaths == 0 && verdict.error != 0)
			error = tbuf_consumer_fail(c, verdict.error,
			    "failed to read %s: %s", path, verdict.words);
		else
			error = add_paths(c, core, &images, path);
	}
	tbuf_images_close(&images);
	return (error);
}

int
tbuf_consumer_open_core(struct tbuf_consumer *c, const char *path,
    tbuf_core_read read, void *arg)
{
	struct tbuf_core core;
	const char *problem;
	int fd = -1, error;

	if (c->state != TBUF_RUN_NEW)
		return (tbuf_consumer_fail(c, -EBUSY, "tracing is active"));
	if (read == NULL) {
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (fd == -1)
			return (tbuf_consumer_fail(c, -errno,
			    "failed to read %s: %s", path, strerror(errno)));
		read = tbuf_core_read_file;
		arg = &fd;
	}
	problem = tbuf_core_open(&core, read, arg, &error);
	if (problem != NULL)
		tbuf_consumer_fail(c, error, "failed to read %s: %s", path,
		    problem);
	else {
		error = add_core(c, &core, path);
		tbuf_core_close(&core);
	}
	if (fd != -1)
		close(fd);
	return (error);
}
