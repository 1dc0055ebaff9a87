/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Named options of D programs and their output, set by -x, by #pragma D option,
 * or by DTRACE_OPT_NAME in the environment.  All others are the library's.
 */
#ifndef TBUFCTL_OPTIONS_D_OPTIONS_H
#define TBUFCTL_OPTIONS_D_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/string_list.h"
#include "tbufd.h"

struct options;

struct d_settings {
	bool errtags;		/* print tags of compile errors */
	bool destructive;	/* -w */
	bool compile_only;	/* -e */
	bool disassemble;	/* -S */
	bool cpp;		/* -C */
	bool headers;		/* -H */
	bool no_libraries;
	bool defaultargs, argref, pspec, empty;
	bool rawbytes, noerror;
	bool unwind;		/* ustackunwind */
	bool unnamed;		/* noresolve */
	bool ilp32;		/* -32 */
	unsigned version;	/* as D_VERSION(); 0: the latest */
	struct d_stability least;	/* amin */
	unsigned top;		/* aggtop: number of keys; 0: off */
	char stdc;		/* a, c, s or t; 0: not set */
	uint64_t stackframes, ustackframes, jstackframes;	/* 0: 20 */
	uint64_t tregs;		/* 0: 8 */
	uint64_t maxframes;	/* 0: no limit */
	uint64_t stackindent;	/* 0: 14 */
	uint64_t printsize;	/* 0: all */
	const char *cpp_path;
	struct words cpp_words;
	struct words libraries;
};

/* Sets an option.  Returns NULL, SETTING_OTHER if unknown, or an error. */
#define SETTING_OTHER	((const char *)-1)
const char *setting_set(struct options *, const char *name,
	    const char *value);

/*
 * Checks an option of the compiler that setopt() sets while tracing.  Returns
 * NULL, an error, or SETTING_OTHER for all other options.
 */
const char *setting_late(const char *name, const char *value);

#define SETTING_INDENT_MAX	1024	/* of stackindent */

/* Returns the end of "'VALUE' is ..." for a wrong value, or NULL. */
const char *setting_wrong(const char *name);

/* Returns true if it is the name of one of these options. */
bool	setting_is_known(const char *name);

/* Returns true if -x can set the option, but #pragma D option cannot. */
bool	setting_is_outside(const char *name);

/* Returns the name of these that is nearest to a word, or NULL. */
const char *setting_near(const char *word, size_t length);

#endif
