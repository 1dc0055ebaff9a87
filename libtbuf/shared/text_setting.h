/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What a setting of the text trace asks for.  Used by both sides; no malloc.
 */
#ifndef TBUF_SHARED_TEXT_SETTING_H
#define TBUF_SHARED_TEXT_SETTING_H

#include <stdbool.h>
#include <stdint.h>

/* The longest one, and the longest list and path in it, with their NUL. */
#define TBUF_TEXT_SETTING_MAX	1024u
#define TBUF_TEXT_LIST_MAX	512u
#define TBUF_TEXT_PATH_MAX	512u

/* Names of components are probe fields; so are their levels. */
#define TBUF_TEXT_PROVIDER	"text"

enum tbuf_facility {
	TBUF_FACILITY_OFF,
	TBUF_FACILITY_FILE,
	TBUF_FACILITY_LOG,
	TBUF_FACILITY_MEMORY
};

enum {
	TBUF_TEXT_FACILITY = 1,
	TBUF_TEXT_COMPONENTS = 2,
	TBUF_TEXT_LEVEL = 4,
	TBUF_TEXT_PATH = 8,
	TBUF_TEXT_KBYTES = 16
};

struct tbuf_text_setting {
	unsigned given;		/* TBUF_TEXT_*: which of these */
	uint32_t facility;	/* enum tbuf_facility */
	uint32_t level;		/* enum tbuf_level, 0: none */
	uint32_t kbytes;
	char components[TBUF_TEXT_LIST_MAX];
	char path[TBUF_TEXT_PATH_MAX];
};

/* NULL, or what is wrong, in words. */
const char *tbuf_text_setting_parse(const char *text,
	    struct tbuf_text_setting *);

/*
 * The level of a component by a list that has been parsed: that of the last
 * element that is its name; `level' where that has none; 0: not in the list.
 */
unsigned tbuf_text_setting_level(const char *components, unsigned level,
	    const char *name);

/* A level by its name or number, -1 if it is none; and its name. */
int	tbuf_text_level_parse(const char *text, size_t length);
const char *tbuf_text_level_name(unsigned level);

#endif
