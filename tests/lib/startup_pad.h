/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Room before the code of a program that looks at its own functions.  Startup
 * code, which is linked before it, has no bounds: any of its bytes may be a
 * short branch into the first functions, and their values change with each
 * build.
 */
#ifndef TESTS_LIB_STARTUP_PAD_H
#define TESTS_LIB_STARTUP_PAD_H

__asm__(".text\n.type startup_pad, @function\n"
    "startup_pad: .skip 160, 0x90\n ret\n"
    ".size startup_pad, . - startup_pad\n");

#endif
