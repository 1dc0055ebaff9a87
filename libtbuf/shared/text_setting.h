/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Settings of the text trace, parsed.  Both sides use this; no malloc.
 */
#ifndef TBUF_SHARED_TEXT_SETTING_H
#define TBUF_SHARED_TEXT_SETTING_H

#include <stdbool.h>
#include <stdint.h>

/* Most bytes of a setting, and of a list and a path in it, with the NUL. */
#define TBUF_TEXT_SETTING_MAX	1024u
#define TBUF_TEXT_LIST_MAX	512u
#define TBUF_TEXT_PATH_MAX	512u

/* Provider of the text probes; components and levels are probe fields, too. */
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
	unsigned present;	/* TBUF_TEXT_*: properties that are set */
	uint32_t facility;	/* enum tbuf_facility */
	uint32_t level;		/* enum tbuf_level, 0: none */
	uint32_t kbytes;
	char components[TBUF_TEXT_LIST_MAX];
	char path[TBUF_TEXT_PATH_MAX];
};

/* Parses a setting.  Returns NULL, or the error as a text. */
const char *tbuf_text_setting_parse(const char *text,
	    struct tbuf_text_setting *);

/*
 * Returns the level of a component by a parsed list: the level of the last
 * element that matches its name, `level' if that element has none, 0 if no
 * element matches.
 */
unsigned tbuf_text_setting_level(const char *components, unsigned level,
	    const char *name);

/* Returns the level of a name or of a digit from 0 to 5, or -1. */
int	tbuf_text_level_parse(const char *text, size_t length);
/* Returns the name of a level. */
const char *tbuf_text_level_name(unsigned level);

#endif
