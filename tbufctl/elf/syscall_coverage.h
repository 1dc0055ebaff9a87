/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -l -v: reports which of a command's instructions that make system calls are
 * traced, from the report of the syscall provider.
 */
#ifndef TBUFCTL_ELF_SYSCALL_COVERAGE_H
#define TBUFCTL_ELF_SYSCALL_COVERAGE_H

/*
 * covered_begin() returns a setting for the command's environment, or NULL;
 * covered_end() prints the result.
 */
const char *covered_begin(void);
void	covered_end(void);

#endif
