/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <tbuf_consumer.h>

#include "base/bool_value.h"
#include "base/messages.h"
#include "base/suggest.h"
#include "command_line.h"
#include "tbufd.h"

#define TOP_DEFAULT	10	/* keys of aggtop */
#define TOP_MOST	1000	/* as in setting_wrong() */
#define BLANKS		" \t\n\v\f\r"
#define IREGS_ONLY	8	/* DTrace's number, the only one accepted */

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

/* ------------------------------------------------------------ names */

/* Forms of values; those after SIZE need a value. */
enum form {
	FLAG,
	BARE,			/* no value */
	NUMBER,			/* from 0 to `most` */
	TOP,
	SIZE,
	VERSION_OF_D,
	COUNT,			/* from `least` to `most` */
	IREGS,
	TEXT,
	PATH,
	WORD,			/* added to a list after `text` */
	WORDS,			/* likewise, with blanks between */
	ONE_OF,			/* a word of `text`; its first letter is set */
	LINKTYPE,
	STABILITY,
	SET_VARIABLE,
	UNSET_VARIABLE
};

#define FIELD(member)	offsetof(struct options, member)
#define D(member)	offsetof(struct options, d.member)
#define IGNORED		((size_t)0)	/* checked, without effect */

static const struct own_option {
	const char *name;
	enum form form;
	size_t field;		/* offset of the value in struct options */
	uint64_t least, most;
	const char *text;
} own[] = {
	{ "version", VERSION_OF_D, D(version), 0, 0, NULL },
	{ "stdc", ONE_OF, D(stdc), 0, 0, "a c s t" },
	{ "aggtop", TOP, D(top), 0, 0, NULL },
	{ "define", WORD, D(cpp_words), 0, 0, "-D" },
	{ "undef", WORD, D(cpp_words), 0, 0, "-U" },
	{ "incdir", WORD, D(cpp_words), 0, 0, "-I" },
	{ "libdir", WORD, D(libraries), 0, 0, "" },
	{ "syslibdir", WORD, D(libraries), 0, 0, "" },
	{ "cpppath", PATH, D(cpp_path), 0, 0, NULL },
	{ "cppargs", WORDS, D(cpp_words), 0, 0, NULL },
	{ "setenv", SET_VARIABLE, IGNORED, 0, 0, NULL },
	{ "unsetenv", UNSET_VARIABLE, IGNORED, 0, 0, NULL },
	{ "quietresize", FLAG, IGNORED, 0, 0, NULL },
	{ "stackframes", NUMBER, D(stackframes), 0, UINT64_MAX, NULL },
	{ "ustackframes", NUMBER, D(ustackframes), 0, UINT64_MAX, NULL },
	{ "jstackframes", NUMBER, D(jstackframes), 0, UINT64_MAX, NULL },
	{ "jstackstrsize", NUMBER, IGNORED, 0, UINT64_MAX, NULL },
	{ "maxframes", NUMBER, D(maxframes), 0, UINT64_MAX, NULL },
	{ "stackindent", NUMBER, D(stackindent), 0, SETTING_INDENT_MAX, NULL },
	{ "printsize", NUMBER, D(printsize), 0, UINT64_MAX, NULL },
	{ "amin", STABILITY, D(least), 0, 0, NULL },
	{ "linkmode", ONE_OF, IGNORED, 0, 0, "kernel primary dynamic static" },
	{ "linktype", LINKTYPE, IGNORED, 0, 0, NULL },
	{ "evaltime", ONE_OF, IGNORED, 0, 0, "exec preinit postinit main" },
	{ "late", ONE_OF, IGNORED, 0, 0, "dynamic static" },
	{ "bpflog", FLAG, IGNORED, 0, 0, NULL },
	{ "lazyload", FLAG, IGNORED, 0, 0, NULL },
	{ "linknommap", FLAG, IGNORED, 0, 0, NULL },
	{ "core", BARE, IGNORED, 0, 0, NULL },
	{ "debug", BARE, IGNORED, 0, 0, NULL },
	{ "kdefs", BARE, IGNORED, 0, 0, NULL },
	{ "knodefs", BARE, IGNORED, 0, 0, NULL },
	{ "strip", BARE, IGNORED, 0, 0, NULL },
	{ "udefs", BARE, IGNORED, 0, 0, NULL },
	{ "unodefs", BARE, IGNORED, 0, 0, NULL },
	{ "disasm", COUNT, IGNORED, 0, INT_MAX, NULL },
	{ "iregs", IREGS, IGNORED, 1, IREGS_ONLY, NULL },
	{ "pgmax", COUNT, IGNORED, 0, INT_MAX, NULL },
	{ "tregs", COUNT, D(tregs), 1, INT_MAX, NULL },
	{ "useruid", COUNT, IGNORED, 0, INT_MAX, NULL },
	{ "nusdtprobes", COUNT, IGNORED, 0, INT_MAX, NULL },
	{ "buflimit", COUNT, IGNORED, 1, 100, NULL },
	{ "bpflogsize", SIZE, IGNORED, 0, 0, NULL },
	{ "pcapsize", SIZE, IGNORED, 0, 0, NULL },
	{ "preallocate", SIZE, IGNORED, 0, 0, NULL },
	{ "ctfpath", TEXT, IGNORED, 0, 0, NULL },
	{ "ldpath", TEXT, IGNORED, 0, 0, NULL },
	{ "lockmem", TEXT, IGNORED, 0, 0, NULL },
	{ "modpath", TEXT, IGNORED, 0, 0, NULL },
	{ "procfspath", TEXT, IGNORED, 0, 0, NULL },
	{ "sysslice", TEXT, IGNORED, 0, 0, NULL },
	{ "debugassert", TEXT, IGNORED, 0, 0, NULL },
	{ "dofstashpath", TEXT, IGNORED, 0, 0, NULL },
	{ "quiet", FLAG, FIELD(quiet), 0, 0, NULL },
	{ "flowindent", FLAG, FIELD(flow), 0, 0, NULL },
	{ "zdefs", FLAG, FIELD(unmatched), 0, 0, NULL },
	{ "droptags", FLAG, FIELD(tags), 0, 0, NULL },
	{ "errtags", FLAG, D(errtags), 0, 0, NULL },
	{ "destructive", FLAG, D(destructive), 0, 0, NULL },
	{ "cpp", FLAG, D(cpp), 0, 0, NULL },
	{ "cpphdrs", FLAG, D(headers), 0, 0, NULL },
	{ "nolibs", FLAG, D(no_libraries), 0, 0, NULL },
	{ "defaultargs", FLAG, D(defaultargs), 0, 0, NULL },
	{ "argref", FLAG, D(argref), 0, 0, NULL },
	{ "pspec", FLAG, D(pspec), 0, 0, NULL },
	{ "empty", FLAG, D(empty), 0, 0, NULL },
	{ "rawbytes", FLAG, D(rawbytes), 0, 0, NULL },
	{ "noerror", FLAG, D(noerror), 0, 0, NULL },
	{ "ustackunwind", FLAG, D(unwind), 0, 0, NULL },
	{ "noresolve", FLAG, D(unnamed), 0, 0, NULL },
	{ "verbose", FLAG, D(disassemble), 0, 0, NULL }
};

#define OWN_COUNT	(sizeof(own) / sizeof(own[0]))

/* Sets an option.  Returns NULL, or an error if the value is wrong. */
static const char *
set(struct options *o, const struct own_option *option, const char *value)
{
	uint64_t number, unused;
	void *field = option->field == IGNORED ? (void *)&unused :
	    (char *)o + option->field;
	bool right = option->form <= VERSION_OF_D || value != NULL;

	if (!right)
		return (MSG_SET_VALUE);
	switch (option->form) {
	case FLAG:
		right = flag_parse(value, field) == 0;
		break;
	case BARE:
		right = value == NULL;
		break;
	case NUMBER:
	case COUNT:
	case IREGS:
		right = flag_number(value, option->most, &number) &&
		    number >= option->least;
		if (right)
			*(uint64_t *)field = number;
		if (right && option->form == IREGS && number != option->most)
			return ("Insufficient registers to generate code");
		break;
	case SIZE:
		right = value == NULL || tbuf_parse_size(value, &number) == 0;
		break;
	case PATH:
		*(const char **)field = value;
		break;
	case WORD:
		words_add(field, "%s%s", option->text, value);
		break;
	case WORDS:
		add_words(field, value);
		break;
	case ONE_OF:
		right = is_one_of(value, option->text);
		if (right)
			*(char *)field = *value;
		break;
	case LINKTYPE:
		right = strcasecmp(value, "elf") == 0 ||
		    strcasecmp(value, "dof") == 0;
		break;
	case STABILITY:
		right = d_stability_parse(value, field);
		break;
	case VERSION_OF_D:
		return (set_version(&o->d, value));
	case TOP:
		return (set_top(&o->d, value));
	case SET_VARIABLE:
		return (set_environment(value));
	case UNSET_VARIABLE:
		right = unsetenv(value) == 0;
		break;
	default:
		break;
	}
	return (right ? NULL : MSG_SET_VALUE);
}

/* Returns an option, or NULL if it is the library's, or unknown. */
static const struct own_option *
find(const char *name)
{
	size_t i;

	for (i = 0; i < OWN_COUNT; i++)
		if (strcmp(own[i].name, name) == 0)
			return (&own[i]);
	return (NULL);
}

const char *
setting_near(const char *word, size_t length)
{
	const char *names[OWN_COUNT];
	size_t i;

	for (i = 0; i < OWN_COUNT; i++)
		names[i] = own[i].name;
	return (near_name(word, length, names, OWN_COUNT));
}

const char *
setting_wrong(const char *name)
{
	static const struct {
		const char *name, *wrong;
	} wrong[] = {
		{ "aggtop", "not a number from 1 to 1000" },
		{ "ustackframes", "not a number (examples: 0, 2)" },
		{ "stackindent", "not a number from 0 to 1024" },
		{ "printsize", "not a number (examples: 0, 2)" },
		{ "stdc", "not one of a, c, s, t" },
		{ "amin",
		    "not a stability (example: Evolving/Evolving/Common)" },
		{ "setenv",
		    "not a variable with a value (example: NAME=VALUE)" },
		{ "unsetenv", "not the name of a variable" },
		{ "define", "not a macro (examples: NAME, NAME=VALUE)" },
		{ "undef", "not the name of a macro" },
		{ "incdir", "not a directory" },
		{ "libdir", "not a directory" },
		{ "cppargs", "not a list of arguments" },
		{ "cpppath", "not a path" }
	};
	const struct own_option *option = find(name);
	size_t i;

	if (option != NULL && option->form == FLAG &&
	    option->field != IGNORED)
		return ("not a flag (examples: on, off)");
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (strcmp(wrong[i].name, name) == 0)
			return (wrong[i].wrong);
	return (NULL);
}

bool
setting_is_known(const char *name)
{
	return (find(name) != NULL);
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
	const struct own_option *option = find(name);

	return (option == NULL ? SETTING_OTHER : set(o, option, value));
}

/*
 * DTrace accepts options of its compiler during tracing, too, when they have no
 * effect.  Options without a value are refused, since setopt() passes one.
 */
const char *
setting_late(const char *name, const char *value)
{
	struct options unused = { 0 };
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
	why = setting_set(&unused, name, value);
	words_free(&unused.d.cpp_words);
	words_free(&unused.d.libraries);
	return (why);
}
