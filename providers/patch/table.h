/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tables of findings: files in the runtime directory with the results of
 * decoding a text, so that one process decodes an object and later ones do not
 * (doc/sites.md).  A table belongs to one text of one file: it has the build
 * ID, the size and the times of the file.  The rows are the provider's own.
 *
 *	sites.NUMBER	the number is a hash of the identity
 *
 *	head		magic, version, hash of all that follows
 *	identity
 *	rows		`size` bytes
 *
 * Another process may have written anything into a table.  It is copied into
 * memory of the reader first; the head is checked here, and the provider checks
 * each row, and compares the text with the bytes in the row, before it changes
 * any.  A table with one fault is as good as none.
 */
#ifndef TBUF_PROVIDERS_PATCH_TABLE_H
#define TBUF_PROVIDERS_PATCH_TABLE_H

#include "patch.h"

#pragma GCC visibility push(hidden)

#define PATCH_TABLE_MAGIC	"tbufsite"
#define PATCH_TABLE_VERSION	2u
#define PATCH_TABLE_MAX		131072u	/* bytes of a file */
#define PATCH_TABLES_MAX	64u	/* files in the directory */
#define PATCH_TABLE_PREFIX	"sites."
#define PATCH_TABLE_NAME	32u
#define PATCH_ID_MAX		32u	/* bytes of a build ID */

/* A smaller text is decoded faster than a table is found. */
#define PATCH_TABLE_TEXT	32768u

/* The owners of rows. */
enum patch_table_kind {
	PATCH_TABLE_SYSCALL = 1
};

struct patch_identity {
	uint32_t kind;			/* enum patch_table_kind */
	uint32_t id_size;
	uint8_t id[PATCH_ID_MAX];	/* build ID */
	uint64_t provider;		/* hash of the build that decoded */
	uint64_t device, inode;		/* of the file */
	uint64_t size;
	uint64_t modified, changed;	/* ns */
	uint64_t text, text_size;	/* offset from the load address */
};

struct patch_table_head {
	char magic[8];
	uint32_t version;
	uint32_t size;			/* bytes of the rows */
	uint64_t hash;			/* of identity and rows */
	struct patch_identity identity;
};

_Static_assert(sizeof(struct patch_table_head) == 24 + 8 + PATCH_ID_MAX + 64,
    "a table's head has no padding");

/* A table while it is read or written, and its rows. */
struct patch_table {
	struct patch_table_head head;
	uint8_t rows[PATCH_TABLE_MAX - sizeof(struct patch_table_head)];
};

/*
 * Fills in the identity of a text of the object that was loaded from the file
 * at a path.  Returns false if it has none: it has no build ID, it is small, or
 * the file is not accessible.
 */
bool	patch_identity(const struct patch_text *, const char *path,
	    enum patch_table_kind, struct patch_identity *);

/* Stores the name of the table of a text. */
void	patch_table_name(const struct patch_identity *,
	    char name[PATCH_TABLE_NAME]);

uint64_t patch_table_hash(const struct patch_table *);

/*
 * Returns true if `size` bytes are a whole table of this version, which belongs
 * to the identity.
 */
bool	patch_table_sound(const struct patch_table *, size_t size,
	    const struct patch_identity *);

/* Reads a table.  Returns false if there is none that is sound. */
bool	patch_table_read(int directory, const struct patch_identity *,
	    struct patch_table *);

/*
 * Writes a table with head.size bytes of rows for this identity, in place of
 * one with its name, if the text agrees with the file.  If there would
 * be more than PATCH_TABLES_MAX tables, removes the oldest one.
 */
void	patch_table_write(int directory, const struct patch_identity *,
	    const struct patch_text *, const char *path, struct patch_table *);

#pragma GCC visibility pop

#endif
