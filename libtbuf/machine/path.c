/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Subroutines on paths.  They use the text only, not the file system.
 */
#include "base/optimize_size.h"

#include "machine/internal.h"

/* Returns the beginning of the slashes, or of other characters, before n. */
static uint32_t
back(const struct tbuf_characters *s, uint32_t n, bool slashes)
{
	while (n > 0 && (tbuf_load(s->at + n - 1) == '/') == slashes)
		n--;
	return (n);
}

static int
literal(struct tbuf_machine *m, char c, uint64_t *result)
{
	uint8_t byte = (uint8_t)c;

	return (tbuf_text_make(m, &byte, 1, result));
}

/* basename(path): as in POSIX. */
int
tbuf_sub_basename(struct tbuf_machine *m, struct tbuf_call *c)
{
	const struct tbuf_characters *s = &c->text;
	uint32_t end = back(s, s->length, true), begin = back(s, end, false);

	if (end == 0)
		return (literal(m, s->length == 0 ? '.' : '/', &c->result));
	return (tbuf_text_make(m, s->at + begin, end - begin, &c->result));
}

int
tbuf_sub_dirname(struct tbuf_machine *m, struct tbuf_call *c)
{
	const struct tbuf_characters *s = &c->text;
	uint32_t base = back(s, back(s, s->length, true), false);
	uint32_t end = back(s, base, true);

	if (end == 0)
		return (literal(m, base > 0 || (s->length > 0 &&
		    tbuf_load(s->at) == '/') ? '/' : '.', &c->result));
	return (tbuf_text_make(m, s->at, end, &c->result));
}

/* A clean path while it is made. */
struct path {
	uint8_t *bytes;
	uint32_t size;
	uint32_t root;		/* bytes .. cannot remove: the first slash */
	uint32_t fixed;		/* root, or leading .. of a relative path */
};

static void
join(struct path *path, const uint8_t *name, uint32_t length)
{
	if (path->size > path->root)
		tbuf_store(path->bytes + path->size++, '/');
	tbuf_bytes_copy(path->bytes + path->size, name, length);
	path->size += length;
}

/* Handles ..: removes the last name, if there is one. */
static void
parent(struct path *path)
{
	static const uint8_t dots[] = { '.', '.' };

	if (path->size > path->fixed) {
		while (path->size > path->fixed &&
		    tbuf_load(path->bytes + path->size - 1) != '/')
			path->size--;
		if (path->size > path->fixed && path->size > path->root)
			path->size--;
	} else if (path->root == 0) {
		join(path, dots, sizeof(dots));
		path->fixed = path->size;
	}
}

static bool
is_dots(const uint8_t *name, uint32_t length, uint32_t dots)
{
	uint32_t n;

	for (n = 0; n < length && tbuf_load(name + n) == '.'; n++)
		continue;
	return (n == length && length == dots);
}

static void
clean(const struct tbuf_characters *s, struct path *path)
{
	uint32_t at, end;

	for (at = 0; at < s->length; at = end + 1) {
		end = at;
		while (end < s->length && tbuf_load(s->at + end) != '/')
			end++;
		if (end == at || is_dots(s->at + at, end - at, 1))
			continue;
		if (is_dots(s->at + at, end - at, 2))
			parent(path);
		else
			join(path, s->at + at, end - at);
	}
}

/* cleanpath(path): without //, /./, a/.. and a last slash; if empty, ".". */
int
tbuf_sub_cleanpath(struct tbuf_machine *m, struct tbuf_call *c)
{
	const struct tbuf_characters *s = &c->text;
	struct path path = { .size = 0 };
	int answer = tbuf_work(m, 2 * (uint64_t)s->length);

	/* Room for at most one slash before each name, and for ".". */
	if (answer == 0)
		answer = tbuf_memory_temporary(m, s->length + UINT64_C(3),
		    &path.bytes, &c->result);
	if (answer != 0)
		return (answer);
	if (s->length > 0 && tbuf_load(s->at) == '/') {
		tbuf_store(path.bytes, '/');
		path.size = path.root = path.fixed = 1;
	}
	clean(s, &path);
	if (path.size == 0 && s->length > 0)
		tbuf_store(path.bytes + path.size++, '.');
	tbuf_store(path.bytes + path.size, 0);
	return (0);
}
