/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Options by name that are about D programs and their output: -x, #pragma D
 * option, and DTRACE_OPT_NAME in the environment.  All others are the
 * library's.
 */
#ifndef TBUFCTL_OPTIONS_D_OPTIONS_H
#define TBUFCTL_OPTIONS_D_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tbufd.h"
#include "base/string_list.h"

struct options;

struct d_settings {
	bool errtags;		/* errors of the compiler have their tags */
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
	unsigned top;		/* aggtop: keys; 0: it is not asked for */
	char stdc;		/* a, c, s or t; 0: not set */
	uint64_t stackframes, ustackframes, jstackframes;	/* 0: 20 */
	uint64_t tregs;		/* 0: 8 */
	uint64_t maxframes;	/* 0: no limit of its own */
	int stackindent;	/* 0: 14 */
	uint64_t printsize;	/* 0: all */
	const char *cpp_path;
	struct words cpp_words;
	struct words libraries;
};

/* NULL when it is set, or is none of these; or why it cannot be. */
#define SETTING_OTHER	((const char *)-1)
const char *setting_set(struct options *, const char *name,
	    const char *value);

/* By setopt(), while tracing goes on: SETTING_OTHER if it is none for that. */
const char *setting_late(const char *name, const char *value);

#define SETTING_INDENT_MAX	1024	/* of stackindent */

/* What a refused value is not; NULL: DTrace's words are all there is. */
const char *setting_wrong(const char *name);

/* Is it one of these? */
bool	setting_is_known(const char *name);

/* Has it to be set by -x, not by #pragma D option? */
bool	setting_is_outside(const char *name);

/* The names, for who looks for one that is near. */
extern const char *const setting_names[];
extern const size_t setting_count;

#endif
