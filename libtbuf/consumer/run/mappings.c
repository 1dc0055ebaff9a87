/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Images of processes and their executable mappings.  Sources of mappings:
 *
 *	/proc/PID/maps	read when an image is found, at each statusrate, and
 *			when an address is unknown
 *	control file	the mappings that the target stored when it began, and
 *			in a session those that its consumer stored
 *	perf events	of a sampled command without libtbuf
 *
 * An unloaded mapping stays known until another one takes its addresses.
 */
#include <sys/stat.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "consumer/files/files.h"
#include "consumer/run/run.h"
#include "consumer/util/util.h"
#include "machine/code.h"

/* A bound that no process reaches. */
#define MAPPINGS_MAX	65536

struct tbuf_image {
	struct tbuf_image *next;
	uint64_t id;
	pid_t pid;
	bool refreshed;		/* maps were read for an address since a look */
	char name[16];		/* of the program, if a perf event had it */
	unsigned count;
	struct tbuf_mapping *all;	/* the latest last */
};

uint64_t
tbuf_target_image(const struct tbuf_target *t)
{
	const struct tbuf_control *control = tbuf_view_control(&t->view);

	return (tbuf_image(tbuf_load(&control->pid),
	    tbuf_load(&control->random)));
}

/* Returns true for a command without libtbuf, or before libtbuf has started. */
static bool
is_waiting(const struct tbuf_target *t)
{
	return (tbuf_load_acquire(&tbuf_view_control(&t->view)->stage) ==
	    TBUF_STAGE_WAITING);
}

/* Returns true if the target's own mappings can be read. */
static bool
has_maps(const struct tbuf_target *t)
{
	return (t->sampled_only || tbuf_control_alive(t->fd));
}

/* Returns the target of an image that still runs, or NULL. */
static struct tbuf_target *
running(const struct tbuf_consumer *c, const struct tbuf_image *image)
{
	struct tbuf_target *t;

	TAILQ_FOREACH(t, &c->targets, link)
		if (t->state == TBUF_ALIVE && t->pidfd != -1 &&
		    tbuf_target_image(t) == image->id &&
		    has_maps(t))
			return (t);
	return (NULL);
}

/* ------------------------------------------------------------ reading */

static bool
is_same(const struct tbuf_mapping *a, const struct tbuf_mapping *b)
{
	return (a->start == b->start && a->end == b->end &&
	    a->offset == b->offset && a->inode == b->inode &&
	    strcmp(a->path, b->path) == 0);
}

/* Returns the mapping at an address, the latest one if there were several. */
static const struct tbuf_mapping *
find(const struct tbuf_image *image, uint64_t address)
{
	unsigned i = image->count;

	while (i-- > 0)
		if (address >= image->all[i].start &&
		    address < image->all[i].end)
			return (&image->all[i]);
	return (NULL);
}

static int
add(struct tbuf_image *image, const struct tbuf_mapping *one)
{
	const struct tbuf_mapping *known = find(image, one->start);
	struct tbuf_mapping *all;
	char *path;

	if (known != NULL && is_same(known, one))
		return (0);
	if (image->count == MAPPINGS_MAX)
		return (-E2BIG);
	/* The table grows at powers of two. */
	if ((image->count & (image->count - 1)) == 0) {
		all = reallocarray(image->all, image->count == 0 ? 1 :
		    2 * image->count, sizeof(*all));
		if (all == NULL)
			return (-ENOMEM);
		image->all = all;
	}
	if ((path = strdup(one->path)) == NULL)
		return (-ENOMEM);
	image->all[image->count] = *one;
	image->all[image->count++].path = path;
	return (0);
}

static void
mappings_free(struct tbuf_image *image)
{
	unsigned i;

	for (i = 0; i < image->count; i++)
		free((void *)(uintptr_t)image->all[i].path);
	free(image->all);
}

/* Adds executable mappings with a path. */
static void
add_lines(struct tbuf_image *image, FILE *f)
{
	struct tbuf_process_map m;

	while (tbuf_map_next(f, &m))
		if (m.executable && *m.path != '\0' &&
		    add(image, &(struct tbuf_mapping){ .start = m.start,
		    .end = m.end, .offset = m.offset, .inode = m.inode,
		    .path = m.path }) != 0)
			break;
}

/*
 * Adds the mappings of /proc/PID/maps.  They are discarded, and false is
 * returned, if the image ends meanwhile: they may be another image's, or
 * incomplete.
 */
static bool
read_maps(struct tbuf_consumer *c, struct tbuf_image *image)
{
	struct tbuf_image seen = { .id = image->id };
	struct tbuf_target *t = running(c, image);
	bool known;
	unsigned i;
	FILE *f;

	if (t == NULL || (f = tbuf_process_open(t->pid, "maps")) == NULL)
		return (false);
	add_lines(&seen, f);
	(void)fclose(f);
	known = running(c, image) != NULL;
	for (i = 0; known && i < seen.count; i++)
		(void)add(image, &seen.all[i]);
	mappings_free(&seen);
	return (known);
}

/* Adds lines that another process has written: they are copied, then parsed. */
static bool
read_lines(const struct tbuf_target *t, struct tbuf_image *image, uint64_t at,
    uint64_t size)
{
	char *text;
	FILE *f;

	if (size == 0 || (text = malloc(size)) == NULL)
		return (false);
	f = tbuf_target_read(t, text, size, at) ?
	    fmemopen(text, size, "r") : NULL;
	if (f != NULL) {
		add_lines(image, f);
		(void)fclose(f);
	}
	free(text);
	return (f != NULL);
}

/*
 * Adds the mappings that the program stored when it began.  A forked child has
 * its parent's.
 */
static bool
read_begun(const struct tbuf_target *t, struct tbuf_image *image)
{
	uint64_t left = tbuf_load_acquire(
	    &tbuf_view_control(&t->view)->mappings);
	uint64_t at = left >> 32, size = (uint32_t)left;

	return (size <= TBUF_MAPPINGS_MAX &&
	    at + size <= t->view.tables.strings_size &&
	    read_lines(t, image, t->view.tables.strings + at, size));
}

/* Returns the session if its layout has room for mappings, or NULL. */
static struct tbuf_session *
session_of(const struct tbuf_target *t)
{
	return (t->layout.mappings == 0 ? NULL : (struct tbuf_session *)(void *)
	    (t->view.base + t->area));
}

/* Adds the mappings that the consumer of a file's session stored. */
static bool
read_session(const struct tbuf_target *t, struct tbuf_image *image)
{
	const struct tbuf_session *session = session_of(t);
	uint64_t size;

	if (!t->file_only || session == NULL)
		return (false);
	size = tbuf_load_acquire(&session->mapped);
	return (size <= t->layout.mappings_size &&
	    read_lines(t, image, t->area + t->layout.mappings, size));
}

/*
 * Adds the mappings in a target's file.  They may name any file, which will be
 * opened for names of functions, so another user's control file is not used.
 */
static bool
read_stored(struct tbuf_target *t, struct tbuf_image *image)
{
	struct stat st;
	bool known;

	if (t->foreign || fstat(t->fd, &st) != 0 || st.st_uid != geteuid())
		return (false);
	known = read_begun(t, image);
	t->nstored = image->count;
	return (read_session(t, image) || known);
}

/* Adds all mappings of an image that are available now. */
static void
read_both(struct tbuf_consumer *c, struct tbuf_target *t,
    struct tbuf_image *image)
{
	bool left = !t->mapped && read_stored(t, image);

	t->mapped |= read_maps(c, image) || left;
	if (!t->file_only && tbuf_session_holds(t))
		tbuf_images_leave(c, t);
}

/* ------------------------------------------------------------ images */

static struct tbuf_image *
image_find(const struct tbuf_consumer *c, uint64_t id)
{
	struct tbuf_image *image = c->images;

	while (image != NULL && image->id != id)
		image = image->next;
	return (image);
}

static struct tbuf_image *
image_new(struct tbuf_consumer *c, const struct tbuf_target *t)
{
	struct tbuf_image *image = calloc(1, sizeof(*image));

	if (image == NULL)
		return (NULL);
	image->id = tbuf_target_image(t);
	image->pid = t->pid;
	image->next = c->images;
	c->images = image;
	return (image);
}

/*
 * Stores a mapping in the session's area in the format of /proc/PID/maps.
 * Returns false if it does not fit.
 */
static bool
leave(struct tbuf_target *t, const struct tbuf_mapping *one)
{
	char line[TBUF_MAP_LINE];
	int size = snprintf(line, sizeof(line), "%" PRIx64 "-%" PRIx64
	    " r-xp %" PRIx64 " 00:00 %" PRIu64 " %s\n", one->start, one->end,
	    one->offset, one->inode, one->path);

	if (size < 0 || (size_t)size >= sizeof(line) ||
	    (uint64_t)size > t->layout.mappings_size - t->stored)
		return (false);
	memcpy(t->view.base + t->area + t->layout.mappings + t->stored, line,
	    (size_t)size);
	t->stored += (uint64_t)size;
	return (true);
}

void
tbuf_images_leave(const struct tbuf_consumer *c, struct tbuf_target *t)
{
	const struct tbuf_image *image = image_find(c, tbuf_target_image(t));
	struct tbuf_session *session = session_of(t);

	if (image == NULL || session == NULL)
		return;
	while (t->nstored < image->count && leave(t, &image->all[t->nstored]))
		t->nstored++;
	/* Release: the lines are stored before they count. */
	tbuf_store_release(&session->mapped, t->stored);
}

void
tbuf_images_look(struct tbuf_consumer *c, bool again)
{
	struct tbuf_target *t;
	struct tbuf_image *image;

	TAILQ_FOREACH(t, &c->targets, link) {
		tbuf_consumer_sign(c);
		if (!c->names || (t->mapped && !again) ||
		    (is_waiting(t) && !t->sampled_only))
			continue;
		image = image_find(c, tbuf_target_image(t));
		if (image == NULL && (image = image_new(c, t)) == NULL)
			return;
		image->refreshed = false;
		read_both(c, t, image);
	}
}

/* Finds or makes the image of a command without libtbuf; NULL for others. */
static struct tbuf_image *
silent(struct tbuf_consumer *c, const struct tbuf_target *t)
{
	struct tbuf_image *image;

	if (!is_waiting(t))
		return (NULL);
	image = image_find(c, tbuf_target_image(t));
	return (image != NULL ? image : image_new(c, t));
}

/*
 * Leaves out a mapping without a file, such as code that was made at run time:
 * its path begins with "//".
 */
void
tbuf_images_mapped(struct tbuf_consumer *c, const struct tbuf_target *t,
    const struct tbuf_mapping *mapped)
{
	struct tbuf_image *image = c->names ? silent(c, t) : NULL;

	if (image != NULL && strncmp(mapped->path, "//", 2) != 0)
		(void)add(image, mapped);
}

void
tbuf_images_named(struct tbuf_consumer *c, const struct tbuf_target *t,
    const char *name)
{
	struct tbuf_image *image = silent(c, t);

	if (image != NULL)
		(void)tbuf_copy(image->name, name, sizeof(image->name));
}

const char *
tbuf_images_name(const struct tbuf_consumer *c, const struct tbuf_target *t)
{
	const struct tbuf_image *image = is_waiting(t) ?
	    image_find(c, tbuf_target_image(t)) : NULL;

	return (image != NULL ? image->name :
	    tbuf_view_control(&t->view)->execname);
}

void
tbuf_images_free(struct tbuf_consumer *c)
{
	struct tbuf_image *image;

	while ((image = c->images) != NULL) {
		c->images = image->next;
		mappings_free(image);
		free(image);
	}
}

static int
give(const struct tbuf_consumer *c, const struct tbuf_image *image,
    const struct tbuf_mapping *one, struct tbuf_mapping *to)
{
	*to = *one;
	to->pid = running(c, image) != NULL ? image->pid : 0;
	return (1);
}

/* Returns the latest image of a process. */
static struct tbuf_image *
image_of(const struct tbuf_consumer *c, pid_t pid)
{
	struct tbuf_image *image = c->images;

	while (image != NULL && image->pid != pid)
		image = image->next;
	return (image);
}

/* Finds an image, which may have begun, fired and ended since the last look. */
static struct tbuf_image *
image_get(struct tbuf_consumer *c, uint64_t id)
{
	struct tbuf_image *image = image_find(c, id);

	if (image == NULL) {
		tbuf_images_look(c, false);
		image = id >> 32 == 0 ? image_of(c, (pid_t)id) :
		    image_find(c, id);
	}
	return (image);
}

int
tbuf_consumer_mapped(struct tbuf_consumer *c, uint64_t id, unsigned number,
    struct tbuf_mapping *to)
{
	const struct tbuf_image *image = image_get(c, id);

	if (image == NULL)
		return (-ESRCH);
	return (number < image->count ?
	    give(c, image, &image->all[number], to) : 0);
}

int
tbuf_consumer_mapping(struct tbuf_consumer *c, uint64_t id,
    uint64_t address, struct tbuf_mapping *to)
{
	struct tbuf_image *image = image_get(c, id);
	const struct tbuf_mapping *one;
	struct tbuf_target *t;

	if (image == NULL)
		return (-ESRCH);
	if ((one = find(image, address)) == NULL && !image->refreshed) {
		image->refreshed = true;
		TAILQ_FOREACH(t, &c->targets, link)
			if (tbuf_target_image(t) == image->id &&
			    !is_waiting(t))
				read_both(c, t, image);
		one = find(image, address);
	}
	return (one == NULL ? 0 : give(c, image, one, to));
}
