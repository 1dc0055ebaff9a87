/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Settings that other processes ask for, in the control file.
 */
#ifndef TBUF_TEXT_REMOTE_SETTING_H
#define TBUF_TEXT_REMOTE_SETTING_H

#include <stdbool.h>
#include <stdint.h>

#include "shared/text_setting.h"

/* Returns the word that a new setting makes 1, or `none' without a file. */
const uint32_t *tbuf_text_order_word(const uint32_t *none)
	    __attribute__((visibility("hidden")));

/*
 * Takes the setting, and the number of its ticket.  Returns false if there is
 * none, or not a whole one.
 */
bool	tbuf_text_order_read(char setting[TBUF_TEXT_SETTING_MAX],
	    uint64_t *ticket) __attribute__((visibility("hidden")));

/*
 * path_ticket.c: removes the ticket of this number (shared/text_ticket.h).
 * Returns false if there is none that confirms the path.
 */
bool	tbuf_text_ticket_take(uint64_t ticket, const char *path)
	    __attribute__((visibility("hidden")));

#endif
