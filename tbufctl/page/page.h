/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The page of --report.  page.html, page.css and page.js are its sources;
 * make_page.sh makes page.c of them.  The records are between the two parts.
 */
#ifndef TBUFCTL_PAGE_PAGE_H
#define TBUFCTL_PAGE_PAGE_H

#include <stddef.h>

extern const unsigned char page_head[], page_tail[];
extern const size_t page_head_size, page_tail_size;

#endif
