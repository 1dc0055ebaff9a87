/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TBUFCTL_ELF_LOADS_MORE_H
#define TBUFCTL_ELF_LOADS_MORE_H

#include <stdbool.h>

/*
 * Returns true if a program may have probes that are neither in its file nor in
 * the libraries that it needs: it or one of these calls dlopen(3), exec(3) or
 * tbuf_probe_register(3), a library is missing, or there is an $LD_PRELOAD.
 */
bool	program_loads_more(const char *path);

#endif
