/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * USDT probes of programs: whether a command needs the usdt provider, and which
 * sites are not armed.
 */
#ifndef TBUFCTL_ELF_USDT_NOTES_H
#define TBUFCTL_ELF_USDT_NOTES_H

#include <sys/types.h>

#include <stdbool.h>

struct usdt_note;
struct words;

/*
 * Visits the USDT notes of a program and of the libraries that it needs, with
 * the file of each.
 */
typedef void notes_visit_one(void *, const char *path,
	    const struct usdt_note *);
void	notes_visit(const char *program, notes_visit_one *, void *arg);

/*
 * Adds the names of the USDT providers in the notes of a program and of the
 * libraries that it needs.
 */
void	notes_providers(const char *program, struct words *);

/*
 * Visits the sites in the notes of a file, which fd reads: the reason why a
 * site cannot be armed, or NULL if the file does not say, and a line that
 * reports it. A site whose names are no fields of a description has empty
 * names.  Files that libtbuf's own probes are in have no sites.
 */
struct notes_site {
	const char *provider, *name;	/* as they are traced */
	const char *problem;
	const char *line;
};
typedef void notes_site_visit(void *, const struct notes_site *);

struct usdt_object;
void	notes_sites(const struct usdt_object *, int fd, const char *path,
	    notes_site_visit *, void *);

/*
 * Visits the sites of the files that are mapped into a process.  Returns true
 * if libtbuf-usdt.so is one of them.
 */
bool	notes_process(pid_t, notes_site_visit *, void *);

/*
 * Visits the sites that the usdt provider has found in a process and has not
 * armed, with its reasons.  Returns false if its list cannot be read.
 */
bool	notes_unarmed(pid_t, notes_site_visit *, void *);

/*
 * Returns true if a line says that a site is not armed, for a reason that a
 * program built with <tbuf/sys/sdt.h> would not have.
 */
bool	notes_curable(const char *line);

/* Reports that a site is not armed, and the remedy, each once. */
void	notes_tell(const char *line);

/*
 * notes_report_begin() returns a setting for the environment that makes the
 * usdt provider report each site (with -l), or the sites of traced probes that
 * are not armed; or NULL.  notes_report_look() prints those that are not armed
 * and have been reported since, notes_report_end() the last ones.
 */
const char *notes_report_begin(bool lists);
void	notes_report_look(void);
void	notes_report_end(void);

#endif
