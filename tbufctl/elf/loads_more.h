/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TBUFCTL_ELF_LOADS_MORE_H
#define TBUFCTL_ELF_LOADS_MORE_H

/*
 * Ways in which a program may have probes that are neither in its file nor in
 * the libraries that it needs: it, its interpreter or one of these libraries
 * calls exec(3) or the like, dlopen(3), or tbuf_probe_register(3); or a file is
 * missing or no ELF, or there is an $LD_PRELOAD.
 */
#define PROGRAM_EXECUTES	0x1u
#define PROGRAM_LOADS		0x2u
#define PROGRAM_REGISTERS	0x4u
#define PROGRAM_UNKNOWN		0x8u
unsigned program_abilities(const char *path);

#endif
