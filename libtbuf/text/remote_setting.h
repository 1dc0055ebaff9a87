/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What others ask for, in the control file.
 */
#ifndef TBUF_TEXT_REMOTE_SETTING_H
#define TBUF_TEXT_REMOTE_SETTING_H

#include <stdbool.h>
#include <stdint.h>

#include "shared/text_setting.h"

/* The word that is not 0 while there is something; `none' without a file. */
const uint32_t *tbuf_text_order_word(const uint32_t *none)
	    __attribute__((visibility("hidden")));

/* Take it, if it is there and whole. */
bool	tbuf_text_order_read(char setting[TBUF_TEXT_SETTING_MAX])
	    __attribute__((visibility("hidden")));

#endif
