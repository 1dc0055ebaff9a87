/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -v: prints the stability of the interfaces that programs use.
 */
#ifndef TBUFCTL_SCRIPT_STABILITY_H
#define TBUFCTL_SCRIPT_STABILITY_H

struct compiled;
struct output;

void	stability_print(const struct compiled *, struct output *);

#endif
