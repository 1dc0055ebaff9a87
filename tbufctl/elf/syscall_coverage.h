/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -l -v: which of a command's instructions that make system calls are traced,
 * by the syscall provider's account of them.
 */
#ifndef TBUFCTL_ELF_SYSCALL_COVERAGE_H
#define TBUFCTL_ELF_SYSCALL_COVERAGE_H

/* What to set in the command's environment, or NULL; and to say it. */
const char *covered_begin(void);
void	covered_end(void);

#endif
