/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Numbers, texts and bytes, one behind the other, that one process sends to
 * another.  What comes is not trusted: what is not there is 0, or no text.
 */
#ifndef TBUFCTL_BASE_PIPE_MESSAGE_H
#define TBUFCTL_BASE_PIPE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct parcel {
	char *bytes;
	size_t used, room;
	size_t at;			/* what is taken next */
};

void	parcel_free(struct parcel *);

/* A text may be NULL. */
void	parcel_put(struct parcel *, uint64_t number);
void	parcel_put_text(struct parcel *, const char *);
void	parcel_put_bytes(struct parcel *, const void *, size_t);
bool	parcel_send(struct parcel *, int fd);

/* In the place of what it had. */
bool	parcel_receive(struct parcel *, int fd);
uint64_t parcel_take(struct parcel *);
/* Valid until the parcel is freed, or another comes. */
const char *parcel_take_text(struct parcel *);
/* The bytes, and how many there are. */
const unsigned char *parcel_take_bytes(struct parcel *, size_t *);
bool	parcel_more(const struct parcel *);

#endif
