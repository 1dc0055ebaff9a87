/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Parcels: a number is 8 bytes; a string is its length + 1, then its bytes with
 * the NUL, or 0 for NULL; bytes are their number, then the bytes.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helper_process.h"
#include "messages.h"
#include "pipe_message.h"

#define SIZE_MOST	(UINT64_C(1) << 30)

void
parcel_free(struct parcel *p)
{
	free(p->bytes);
	memset(p, 0, sizeof(*p));
}

static void
add(struct parcel *p, const void *bytes, size_t size)
{
	if (size > p->room - p->used) {
		p->room = 2 * (p->used + size);
		p->bytes = memory_get(p->bytes, p->room, 1);
	}
	memcpy(p->bytes + p->used, bytes, size);
	p->used += size;
}

void
parcel_put(struct parcel *p, uint64_t number)
{
	add(p, &number, sizeof(number));
}

void
parcel_put_text(struct parcel *p, const char *text)
{
	size_t size = text == NULL ? 0 : strlen(text) + 1;

	parcel_put(p, size);
	if (size != 0)
		add(p, text, size);
}

void
parcel_put_bytes(struct parcel *p, const void *bytes, size_t size)
{
	parcel_put(p, size);
	if (size != 0)
		add(p, bytes, size);
}

bool
parcel_send(struct parcel *p, int fd)
{
	uint64_t size = p->used;

	return (reader_write(fd, &size, sizeof(size)) &&
	    reader_write(fd, p->bytes, p->used));
}

bool
parcel_receive(struct parcel *p, int fd)
{
	uint64_t size;

	p->used = p->at = 0;
	if (!reader_read(fd, &size, sizeof(size)) || size > SIZE_MOST)
		return (false);
	if (size > p->room) {
		p->room = size;
		p->bytes = memory_get(p->bytes, p->room, 1);
	}
	if (!reader_read(fd, p->bytes, size))
		return (false);
	p->used = size;
	return (true);
}

bool
parcel_more(const struct parcel *p)
{
	return (p->at < p->used);
}

uint64_t
parcel_take(struct parcel *p)
{
	uint64_t number = 0;

	if (p->used - p->at < sizeof(number)) {
		p->at = p->used;
		return (0);
	}
	memcpy(&number, p->bytes + p->at, sizeof(number));
	p->at += sizeof(number);
	return (number);
}

const char *
parcel_take_text(struct parcel *p)
{
	uint64_t size = parcel_take(p);
	const char *text = p->bytes + p->at;

	if (size == 0 || size > p->used - p->at || text[size - 1] != '\0') {
		p->at = size == 0 ? p->at : p->used;
		return (NULL);
	}
	p->at += size;
	return (text);
}

const unsigned char *
parcel_take_bytes(struct parcel *p, size_t *size)
{
	const char *bytes;

	*size = parcel_take(p);
	if (*size > p->used - p->at)
		*size = p->used - p->at;
	bytes = p->bytes + p->at;
	p->at += *size;
	return ((const unsigned char *)bytes);
}

void
parcels_answer(int fd, unsigned seconds,
    void (*answer)(struct parcel *question, struct parcel *to))
{
	struct parcel question = { .used = 0 }, to = { .used = 0 };
	bool good = true;

	fd = reader_alone(fd);
	reader_confine(seconds);
	while (good && parcel_receive(&question, fd)) {
		(void)alarm(READER_SECONDS);
		to.used = 0;
		answer(&question, &to);
		(void)alarm(0);
		good = parcel_send(&to, fd);
	}
	_exit(0);
}
