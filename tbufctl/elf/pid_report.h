/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reports of the pid provider in the command: entries and returns of functions
 * that are wanted and not armed.
 */
#ifndef TBUFCTL_ELF_PID_REPORT_H
#define TBUFCTL_ELF_PID_REPORT_H

#include <stdbool.h>

/*
 * pid_report_begin() returns a setting for the command's environment that makes
 * the provider report all wanted functions (with -l), or those that are not
 * armed; NULL without a file.  The others print lines that are new; the last
 * one also removes the file.
 */
const char *pid_report_begin(bool lists);
void	pid_report_look(void);

/*
 * pid_types_begin() returns a setting for a file with the types of functions
 * (providers/pid/types.h), which pid_types_write() fills before the command
 * runs; NULL without a file.  pid_report_end() removes it.
 */
const char *pid_types_begin(void);
void	pid_types_write(const char *table);

void	pid_report_end(void);

/*
 * Says why a description of the process matches nothing.  Until the end another
 * program, which the process executes, may have the function.
 */
void	pid_report_absent(const char *description);

#endif
