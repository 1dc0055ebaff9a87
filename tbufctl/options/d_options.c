/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Named options of D programs and their output.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <tbuf_consumer.h>

#include "base/bool_value.h"
#include "base/messages.h"
#include "command_line.h"
#include "tbufd.h"

#define TOP_DEFAULT	10	/* keys of aggtop */
#define TOP_MOST	1000	/* as in setting_wrong() */
#define BLANKS		" \t\n\v\f\r"
#define IREGS		8	/* DTrace's number, the only one accepted */

/* ------------------------------------------------------------ values */

/* Parses "1.6.2" into D_VERSION(); missing or empty parts are 0. */
static int
parse_version(const char *text, unsigned *version)
{
	unsigned part[3] = { 0, 0, 0 }, i = 0;

	for (; *text != '\0'; text++) {
		if (*text == '.' && i < 2)
			i++;
		else if (!isdigit((unsigned char)*text))
			return (-EINVAL);
		else
			part[i] = part[i] * 10 + (unsigned)(*text - '0');
		if (part[i] > (i == 0 ? 0xffu : 0xfffu))
			return (-EINVAL);
	}
	*version = D_VERSION(part[0], part[1], part[2]);
	return (0);
}

static bool
is_known(unsigned version)
{
	static const unsigned known[] = {
		D_VERSION(1, 0, 0), D_VERSION(1, 1, 0), D_VERSION(1, 2, 0),
		D_VERSION(1, 2, 1), D_VERSION(1, 2, 2), D_VERSION(1, 3, 0),
		D_VERSION(1, 4, 0), D_VERSION(1, 4, 1), D_VERSION(1, 5, 0),
		D_VERSION(1, 6, 0), D_VERSION(1, 6, 1), D_VERSION(1, 6, 2),
		D_VERSION(1, 6, 3), D_VERSION(1, 6, 4), D_VERSION(1, 7, 0),
		D_VERSION(1, 7, 1), D_VERSION(1, 8, 0), D_VERSION(1, 8, 1),
		D_VERSION(1, 9, 0), D_VERSION(1, 10, 0), D_VERSION(1, 11, 0),
		D_VERSION(1, 12, 0), D_VERSION(1, 13, 0), D_VERSION(2, 0, 0),
		D_VERSION(2, 0, 1), D_VERSION(2, 0, 2), D_VERSION(2, 0, 3),
		D_VERSION(2, 0, 4), D_VERSION(2, 0, 5), D_VERSION(2, 0, 6)
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i] == version)
			return (true);
	return (false);
}

/* Sets the version; once set, it can only be lowered. */
static const char *
set_version(struct d_settings *d, const char *value)
{
	unsigned version;

	if (value == NULL || parse_version(value, &version) != 0)
		return ("Version is not properly formatted or is too large");
	if (version > D_VERSION_LATEST || !is_known(version))
		return ("Requested version is not supported by compiler");
	if (d->version != 0 && version > d->version)
		return ("Requested version conflicts with earlier setting");
	d->version = version;
	return (NULL);
}

static const char *
set_stdc(struct d_settings *d, const char *value)
{

	if (value == NULL || strlen(value) != 1 ||
	    strchr("acst", *value) == NULL)
		return (MSG_SET_VALUE);
	d->stdc = *value;
	return (NULL);
}

static const char *
set_top(struct d_settings *d, const char *value)
{
	const char *wrong = NULL;

	d->top = value == NULL ? TOP_DEFAULT :
	    (unsigned)strtonum(value, 1, TOP_MOST, &wrong);
	return (wrong == NULL ? NULL : MSG_SET_VALUE);
}

/* Sets NAME=VALUE for the command of -c and commands of system(). */
static const char *
set_environment(const char *value)
{
	const char *equals = strchr(value, '=');
	char *name;
	int error;

	if (equals == NULL || equals == value)
		return (MSG_SET_VALUE);
	name = strndup(value, (size_t)(equals - value));
	error = name == NULL ? -1 : setenv(name, equals + 1, 1);
	free(name);
	return (error == 0 ? NULL : strerror(errno));
}

static const char *
unset_environment(const char *value)
{

	return (unsetenv(value) == 0 ? NULL : MSG_SET_VALUE);
}

/* Returns true if the value is a word of a list with blanks between. */
static bool
is_one_of(const char *value, const char *list)
{
	size_t size = strlen(value), length;

	for (; *list != '\0'; list += length + (list[length] == ' ')) {
		length = strcspn(list, " ");
		if (length == size && strncmp(list, value, size) == 0)
			return (true);
	}
	return (false);
}

/* Sets amin, the minimum stability of a program. */
static const char *
set_stability(struct d_settings *d, const char *value)
{

	return (d_stability_parse(value, &d->least) ? NULL : MSG_SET_VALUE);
}

/* ------------------------------------------------------------ names */

enum kind {
	KIND_VERSION,
	KIND_STDC,
	KIND_TOP,
	KIND_DEFINE,
	KIND_UNDEFINE,
	KIND_INCLUDE,
	KIND_LIBRARIES,
	KIND_CPP_PATH,
	KIND_CPP_ARGUMENT,
	KIND_SETENV,
	KIND_UNSETENV,
	KIND_STACKFRAMES,
	KIND_USTACKFRAMES,
	KIND_JSTACKFRAMES,
	KIND_STACKINDENT,
	KIND_PRINTSIZE,
	KIND_MAXFRAMES,
	KIND_AMIN,
	KIND_LINKMODE,		/* and LINKTYPE: checked, -G has one kind */
	KIND_LINKTYPE,
	KIND_EVALTIME,		/* and LATE: checked, without effect */
	KIND_LATE,
	KIND_IREGS,
	KIND_TREGS,
	KIND_UNUSED_PERCENT,
	KIND_UNUSED_FLAG,
	KIND_UNUSED_BARE,
	KIND_UNUSED_NUMBER,
	KIND_UNUSED_COUNT,
	KIND_UNUSED_SIZE,
	KIND_UNUSED_TEXT
};

static const enum kind kinds[] = {
	KIND_VERSION, KIND_STDC, KIND_TOP, KIND_DEFINE, KIND_UNDEFINE,
	KIND_INCLUDE, KIND_LIBRARIES, KIND_LIBRARIES, KIND_CPP_PATH,
	KIND_CPP_ARGUMENT,
	KIND_SETENV, KIND_UNSETENV, KIND_UNUSED_FLAG,
	KIND_STACKFRAMES, KIND_USTACKFRAMES,
	KIND_JSTACKFRAMES, KIND_UNUSED_NUMBER, KIND_MAXFRAMES,
	KIND_STACKINDENT, KIND_PRINTSIZE, KIND_AMIN,
	KIND_LINKMODE, KIND_LINKTYPE, KIND_EVALTIME, KIND_LATE,
	KIND_UNUSED_FLAG, KIND_UNUSED_FLAG, KIND_UNUSED_FLAG,
	KIND_UNUSED_BARE, KIND_UNUSED_BARE, KIND_UNUSED_BARE,
	KIND_UNUSED_BARE, KIND_UNUSED_BARE, KIND_UNUSED_BARE,
	KIND_UNUSED_BARE,
	KIND_UNUSED_COUNT, KIND_IREGS, KIND_UNUSED_COUNT, KIND_TREGS,
	KIND_UNUSED_COUNT, KIND_UNUSED_COUNT, KIND_UNUSED_PERCENT,
	KIND_UNUSED_SIZE, KIND_UNUSED_SIZE, KIND_UNUSED_SIZE,
	KIND_UNUSED_TEXT, KIND_UNUSED_TEXT, KIND_UNUSED_TEXT,
	KIND_UNUSED_TEXT, KIND_UNUSED_TEXT, KIND_UNUSED_TEXT,
	KIND_UNUSED_TEXT, KIND_UNUSED_TEXT
};

/* Names in the order of kinds, then those of flags, as in find_flag(). */
const char *const setting_names[] = {
	"version", "stdc", "aggtop", "define", "undef", "incdir", "libdir",
	"syslibdir", "cpppath", "cppargs", "setenv", "unsetenv", "quietresize",
	"stackframes", "ustackframes", "jstackframes",
	"jstackstrsize", "maxframes", "stackindent", "printsize", "amin",
	"linkmode", "linktype", "evaltime", "late",
	"bpflog", "lazyload", "linknommap",
	"core", "debug", "kdefs", "knodefs", "strip", "udefs", "unodefs",
	"disasm", "iregs", "pgmax", "tregs", "useruid", "nusdtprobes",
	"buflimit",
	"bpflogsize", "pcapsize", "preallocate",
	"ctfpath", "ldpath", "lockmem", "modpath", "procfspath", "sysslice",
	"debugassert", "dofstashpath",

	"quiet", "flowindent", "zdefs", "droptags", "errtags", "destructive",
	"cpp", "cpphdrs", "nolibs", "defaultargs", "argref", "pspec", "empty",
	"rawbytes", "noerror", "ustackunwind", "noresolve",
	"verbose"
};

#define NKINDS	(sizeof(kinds) / sizeof(kinds[0]))

const size_t setting_count = sizeof(setting_names) /
    sizeof(setting_names[0]);

static bool *
find_flag(struct options *o, size_t i)
{
	bool *const flags[] = {
		&o->quiet, &o->flow, &o->unmatched, &o->tags, &o->d.errtags,
		&o->d.destructive, &o->d.cpp, &o->d.headers,
		&o->d.no_libraries, &o->d.defaultargs, &o->d.argref,
		&o->d.pspec, &o->d.empty, &o->d.rawbytes, &o->d.noerror,
		&o->d.unwind, &o->d.unnamed, &o->d.disassemble
	};

	return (flags[i]);
}

static const char *
set_number(struct d_settings *d, enum kind kind, const char *value)
{
	uint64_t number;

	if (!flag_number(value, kind == KIND_STACKINDENT ?
	    SETTING_INDENT_MAX : UINT64_MAX, &number))
		return (MSG_SET_VALUE);
	switch (kind) {
	case KIND_STACKFRAMES:
		d->stackframes = number;
		break;
	case KIND_USTACKFRAMES:
		d->ustackframes = number;
		break;
	case KIND_JSTACKFRAMES:
		d->jstackframes = number;
		break;
	case KIND_STACKINDENT:
		d->stackindent = (int)number;
		break;
	case KIND_PRINTSIZE:
		d->printsize = number;
		break;
	case KIND_MAXFRAMES:
		d->maxframes = number;
		break;
	default:
		break;
	}
	return (NULL);
}

/* Adds the words of a text with blanks between them. */
static void
add_words(struct words *words, const char *text)
{
	size_t n;

	while (*(text += strspn(text, BLANKS)) != '\0') {
		n = strcspn(text, BLANKS);
		words_add(words, "%.*s", (int)n, text);
		text += n;
	}
}

static const char *
set_text(struct d_settings *d, enum kind kind, const char *value)
{

	switch (kind) {
	case KIND_DEFINE:
		words_add(&d->cpp_words, "-D%s", value);
		break;
	case KIND_UNDEFINE:
		words_add(&d->cpp_words, "-U%s", value);
		break;
	case KIND_INCLUDE:
		words_add(&d->cpp_words, "-I%s", value);
		break;
	case KIND_CPP_ARGUMENT:
		add_words(&d->cpp_words, value);
		break;
	case KIND_LIBRARIES:
		words_add(&d->libraries, "%s", value);
		break;
	case KIND_CPP_PATH:
		d->cpp_path = value;
		break;
	case KIND_SETENV:
		return (set_environment(value));
	case KIND_UNSETENV:
		return (unset_environment(value));
	case KIND_AMIN:
		return (set_stability(d, value));
	case KIND_LINKMODE:
		return (is_one_of(value, "kernel primary dynamic static") ?
		    NULL : MSG_SET_VALUE);
	case KIND_LINKTYPE:
		return (strcasecmp(value, "elf") == 0 ||
		    strcasecmp(value, "dof") == 0 ? NULL : MSG_SET_VALUE);
	case KIND_EVALTIME:
		return (is_one_of(value, "exec preinit postinit main") ?
		    NULL : MSG_SET_VALUE);
	case KIND_LATE:
		return (is_one_of(value, "dynamic static") ? NULL :
		    MSG_SET_VALUE);
	default:
		break;
	}
	return (NULL);
}

static const char *
set_registers(struct d_settings *d, enum kind kind, const char *value)
{
	uint64_t number;

	if (value == NULL || !flag_number(value, INT_MAX, &number) ||
	    number == 0 || (kind == KIND_IREGS && number > IREGS))
		return (MSG_SET_VALUE);
	if (kind == KIND_TREGS)
		d->tregs = number;
	return (kind == KIND_TREGS || number == IREGS ? NULL :
	    "Insufficient registers to generate code");
}

/* Returns NULL if DTrace would accept the value of an unused option. */
static const char *
check_unused(enum kind kind, const char *value)
{
	uint64_t number;
	bool flag, right = value != NULL;

	switch (kind) {
	case KIND_UNUSED_FLAG:
		right = flag_parse(value, &flag) == 0;
		break;
	case KIND_UNUSED_BARE:
		right = value == NULL;
		break;
	case KIND_UNUSED_NUMBER:
		right = flag_number(value, UINT64_MAX, &number);
		break;
	case KIND_UNUSED_COUNT:
		right = value != NULL && flag_number(value, INT_MAX, &number);
		break;
	case KIND_UNUSED_PERCENT:
		right = value != NULL && flag_number(value, 100, &number) &&
		    number > 0;
		break;
	case KIND_UNUSED_SIZE:
		right = value == NULL || tbuf_parse_size(value, &number) == 0;
		break;
	default:
		break;
	}
	return (right ? NULL : MSG_SET_VALUE);
}

static const char *
set_value(struct d_settings *d, enum kind kind, const char *value)
{

	switch (kind) {
	case KIND_VERSION:
		return (set_version(d, value));
	case KIND_STDC:
		return (set_stdc(d, value));
	case KIND_TOP:
		return (set_top(d, value));
	case KIND_STACKFRAMES:
	case KIND_USTACKFRAMES:
	case KIND_JSTACKFRAMES:
	case KIND_STACKINDENT:
	case KIND_PRINTSIZE:
	case KIND_MAXFRAMES:
		return (set_number(d, kind, value));
	case KIND_IREGS:
	case KIND_TREGS:
		return (set_registers(d, kind, value));
	case KIND_UNUSED_PERCENT:
	case KIND_UNUSED_FLAG:
	case KIND_UNUSED_BARE:
	case KIND_UNUSED_NUMBER:
	case KIND_UNUSED_COUNT:
	case KIND_UNUSED_SIZE:
	case KIND_UNUSED_TEXT:
		return (check_unused(kind, value));
	default:
		return (value == NULL ? MSG_SET_VALUE :
		    set_text(d, kind, value));
	}
}

static size_t
find(const char *name)
{
	size_t i;

	for (i = 0; i < setting_count; i++)
		if (strcmp(setting_names[i], name) == 0)
			break;
	return (i);
}

const char *
setting_wrong(const char *name)
{
	static const struct {
		const char *name, *wrong;
	} wrong[] = {
		{ "aggtop", "no number from 1 to 1000" },
		{ "ustackframes", "no number, such as 0 or 2" },
		{ "stackindent", "no number from 0 to 1024" },
		{ "printsize", "no number, such as 0 or 2" },
		{ "stdc", "none of a, c, s, t" },
		{ "amin", "no stability, such as Evolving/Evolving/Common" },
		{ "setenv", "no variable with a value, such as NAME=VALUE" },
		{ "unsetenv", "no name of a variable" },
		{ "define", "no macro, such as NAME or NAME=VALUE" },
		{ "undef", "no name of a macro" },
		{ "incdir", "no directory" },
		{ "libdir", "no directory" },
		{ "cppargs", "no list of arguments" },
		{ "cpppath", "no path" }
	};
	size_t i = find(name);

	if (i >= NKINDS && i < setting_count)
		return ("no flag, such as on or off");
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (strcmp(wrong[i].name, name) == 0)
			return (wrong[i].wrong);
	return (NULL);
}

bool
setting_is_known(const char *name)
{

	return (find(name) < setting_count);
}

/* These options take effect before a script is read. */
bool
setting_is_outside(const char *name)
{

	return (is_one_of(name, "cppargs cpphdrs cpppath ctfpath define incdir "
	    "ldpath lockmem modpath procfspath setenv stdc undef unsetenv"));
}

const char *
setting_set(struct options *o, const char *name, const char *value)
{
	size_t i = find(name);

	if (i == setting_count)
		return (SETTING_OTHER);
	if (i < NKINDS)
		return (set_value(&o->d, kinds[i], value));
	return (flag_parse(value, find_flag(o, i - NKINDS)) == 0 ? NULL :
	    MSG_SET_VALUE);
}

/*
 * DTrace accepts options of its compiler during tracing, too, when they have no
 * effect.  Options without a value are refused, since setopt() passes one.
 */
const char *
setting_late(const char *name, const char *value)
{
	struct d_settings unused = { 0 };
	const char *why;

	if (is_one_of(name, "aggpercpu argref core cpp cpphdrs debug "
	    "defaultargs empty errtags kdefs knodefs nolibs pspec strip udefs "
	    "unodefs verbose zdefs"))
		return (MSG_SET_VALUE);
	if (is_one_of(name, "droptags lazyload linknommap"))
		return (NULL);
	if (!is_one_of(name, "amin cppargs cpppath ctfpath debugassert "
	    "define disasm evaltime incdir iregs late ldpath libdir linkmode "
	    "linktype modpath pgmax preallocate procfspath stdc syslibdir "
	    "sysslice tregs undef useruid version"))
		return (SETTING_OTHER);
	why = set_value(&unused, kinds[find(name)], value);
	words_free(&unused.cpp_words);
	words_free(&unused.libraries);
	return (why);
}
