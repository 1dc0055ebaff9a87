/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Parcels: messages of numbers, strings and bytes between tbufctl and a helper
 * process.  A received one is not trusted: a missing number reads as 0, a
 * missing string as NULL.
 */
#ifndef TBUFCTL_BASE_PIPE_MESSAGE_H
#define TBUFCTL_BASE_PIPE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct parcel {
	char *bytes;
	size_t used, room;
	size_t at;			/* offset of the next value to take */
};

void	parcel_free(struct parcel *);

/* Append a value (a string may be NULL); parcel_send() sends all of them. */
void	parcel_put(struct parcel *, uint64_t number);
void	parcel_put_text(struct parcel *, const char *);
void	parcel_put_bytes(struct parcel *, const void *, size_t);
bool	parcel_send(struct parcel *, int fd);

/* Replaces the content by a received one; then values are taken in order. */
bool	parcel_receive(struct parcel *, int fd);

/*
 * Answers questions in a helper process until one of them or its answer fails.
 * `seconds` are as for reader_confine(); each answer has READER_SECONDS.
 */
_Noreturn void parcels_answer(int fd, unsigned seconds,
	    void (*answer)(struct parcel *question, struct parcel *to));

uint64_t parcel_take(struct parcel *);
/* Strings and bytes are valid until the parcel is freed or received again. */
const char *parcel_take_text(struct parcel *);
const unsigned char *parcel_take_bytes(struct parcel *, size_t *);
bool	parcel_more(const struct parcel *);

#endif
