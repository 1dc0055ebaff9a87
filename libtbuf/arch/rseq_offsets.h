/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The offsets of fields that the sections of rseq.h use, as numbers for the
 * assembler; the compiler checks each of them.
 */
#ifndef TBUF_ARCH_RSEQ_OFFSETS_H
#define TBUF_ARCH_RSEQ_OFFSETS_H

#include <stddef.h>
#include <stdint.h>

#include "arch/rseq_types.h"
#include "layout/layout.h"
#include "tbuf.h"

#define TBUF_M_BITS		0
#define TBUF_M_GENERATION	8
#define TBUF_M_SLOT		16
#define TBUF_M_LANE		24
#define TBUF_M_DATA		32
#define TBUF_M_MASK8		40
#define TBUF_M_BUFSIZE		48
#define TBUF_M_FILL_MASK	56
#define TBUF_M_HEADS		64
#define TBUF_M_SECOND		72	/* none and tid as one */
#define TBUF_M_TID		76
#define TBUF_M_RING		80
#define TBUF_M_SPAN		82
#define TBUF_M_CPU		84
#define TBUF_M_ECBS		88
#define TBUF_M_ECB_MAX		96
#define TBUF_M_BASE		104
#define TBUF_A_TABLE		32	/* TBUF_A_*: CACHED's memo */
#define TBUF_A_MASK		40
#define TBUF_A_HEAP		48
#define TBUF_A_STORAGE		56
#define TBUF_A_END		96
#define TBUF_W_BITS		0
#define TBUF_W_GENERATION	8
#define TBUF_W_SIZE		16
#define TBUF_W_FROM		32
#define TBUF_W_FROM_END		40
#define TBUF_W_SIZE16		48
#define TBUF_W_INDEX		52
#define TBUF_W_EPID		56
#define TBUF_W_TID		60
#define TBUF_W_TIME		64
#define TBUF_P_WORD		0
#define TBUF_P_OLD		8
#define TBUF_P_NEW		16
#define TBUF_P_TO		24
#define TBUF_P_FROM		32
#define TBUF_P_SIZE		40
#define TBUF_P_SLOT		48
#define TBUF_P_OFFSET		56
#define TBUF_P_ZERO		64
#define TBUF_P_ZEROES		72
#define TBUF_U_TURN		16
#define TBUF_U_LANE		24
#define TBUF_U_TABLE		32
#define TBUF_U_HEAP		40
#define TBUF_U_LAST		48
#define TBUF_U_END		56
#define TBUF_U_ENTRY		64
#define TBUF_U_HASH		72
#define TBUF_U_KEY		80
#define TBUF_U_SIZE		88
#define TBUF_U_WORD		96
#define TBUF_U_DELTA		104
#define TBUF_U_MASK		112
#define TBUF_U_FLIP		120
#define TBUF_T_INDEX		64
#define TBUF_T_PROBES		64
#define TBUF_K_VALUES		8
#define TBUF_K_NWORDS		12
#define TBUF_K_HASH		16
#define TBUF_K_KEY		24
#define TBUF_E_NEXT		6
#define TBUF_L_HEAD		0
#define TBUF_L_LAST		8
#define TBUF_L_FULL		16
#define TBUF_L_SEQUENCE		24
#define TBUF_L_PAIR		32
#define TBUF_L_RESTARTS		72
#define TBUF_L_LIMIT		136
#define TBUF_S_GENERATION	0
#define TBUF_S_DEADLINE		40
#define TBUF_E_UNIT		0xfffc
#define TBUF_S_TURN		216
#define TBUF_S_CLEARED		176
#define TBUF_SITE_ENABLED	0
#define TBUF_SITE_INDEX		32

#define TBUF_O(name)		TBUF_O_TEXT(TBUF_##name)
#define TBUF_O_TEXT(number)	TBUF_O_STRING(number)
#define TBUF_O_STRING(number)	#number

TBUF_ASSERT_OFFSET(tbuf_memo, bits, TBUF_M_BITS);
TBUF_ASSERT_OFFSET(tbuf_memo, generation, TBUF_M_GENERATION);
TBUF_ASSERT_OFFSET(tbuf_memo, slot, TBUF_M_SLOT);
TBUF_ASSERT_OFFSET(tbuf_memo, lane, TBUF_M_LANE);
TBUF_ASSERT_OFFSET(tbuf_memo, data, TBUF_M_DATA);
TBUF_ASSERT_OFFSET(tbuf_memo, mask8, TBUF_M_MASK8);
TBUF_ASSERT_OFFSET(tbuf_memo, bufsize, TBUF_M_BUFSIZE);
TBUF_ASSERT_OFFSET(tbuf_memo, fill_mask, TBUF_M_FILL_MASK);
TBUF_ASSERT_OFFSET(tbuf_memo, heads, TBUF_M_HEADS);
TBUF_ASSERT_OFFSET(tbuf_memo, cpu, TBUF_M_CPU);
TBUF_ASSERT_OFFSET(tbuf_memo, none, TBUF_M_SECOND);
TBUF_ASSERT_OFFSET(tbuf_memo, tid, TBUF_M_TID);
TBUF_ASSERT_OFFSET(tbuf_memo, ring, TBUF_M_RING);
TBUF_ASSERT_OFFSET(tbuf_memo, ecbs, TBUF_M_ECBS);
TBUF_ASSERT_OFFSET(tbuf_memo, ecb_max, TBUF_M_ECB_MAX);
TBUF_ASSERT_OFFSET(tbuf_memo, base, TBUF_M_BASE);
TBUF_ASSERT_OFFSET(tbuf_memo, span, TBUF_M_SPAN);
TBUF_ASSERT_OFFSET(tbuf_memo, tbuf_memo_table, TBUF_A_TABLE);
TBUF_ASSERT_OFFSET(tbuf_memo, tbuf_memo_mask, TBUF_A_MASK);
TBUF_ASSERT_OFFSET(tbuf_memo, tbuf_memo_heap, TBUF_A_HEAP);
TBUF_ASSERT_OFFSET(tbuf_memo, tbuf_memo_storage, TBUF_A_STORAGE);
TBUF_ASSERT_OFFSET(tbuf_memo, tbuf_memo_end, TBUF_A_END);
TBUF_ASSERT_OFFSET(tbuf_write, bits, TBUF_W_BITS);
TBUF_ASSERT_OFFSET(tbuf_write, generation, TBUF_W_GENERATION);
TBUF_ASSERT_OFFSET(tbuf_write, size, TBUF_W_SIZE);
TBUF_ASSERT_OFFSET(tbuf_write, from, TBUF_W_FROM);
TBUF_ASSERT_OFFSET(tbuf_write, from_end, TBUF_W_FROM_END);
TBUF_ASSERT_OFFSET(tbuf_write, size16, TBUF_W_SIZE16);
TBUF_ASSERT_OFFSET(tbuf_write, index, TBUF_W_INDEX);
TBUF_ASSERT_OFFSET(tbuf_write, epid, TBUF_W_EPID);
TBUF_ASSERT_OFFSET(tbuf_write, tid, TBUF_W_TID);
TBUF_ASSERT_OFFSET(tbuf_write, time, TBUF_W_TIME);
TBUF_ASSERT_OFFSET(tbuf_publish, word, TBUF_P_WORD);
TBUF_ASSERT_OFFSET(tbuf_publish, old, TBUF_P_OLD);
TBUF_ASSERT_OFFSET(tbuf_publish, new, TBUF_P_NEW);
TBUF_ASSERT_OFFSET(tbuf_publish, to, TBUF_P_TO);
TBUF_ASSERT_OFFSET(tbuf_publish, from, TBUF_P_FROM);
TBUF_ASSERT_OFFSET(tbuf_publish, size, TBUF_P_SIZE);
TBUF_ASSERT_OFFSET(tbuf_publish, slot, TBUF_P_SLOT);
TBUF_ASSERT_OFFSET(tbuf_publish, offset, TBUF_P_OFFSET);
TBUF_ASSERT_OFFSET(tbuf_publish, zero, TBUF_P_ZERO);
TBUF_ASSERT_OFFSET(tbuf_publish, zeroes, TBUF_P_ZEROES);
TBUF_ASSERT_OFFSET(tbuf_search, bits, TBUF_W_BITS);
TBUF_ASSERT_OFFSET(tbuf_search, generation, TBUF_W_GENERATION);
TBUF_ASSERT_OFFSET(tbuf_search, turn, TBUF_U_TURN);
TBUF_ASSERT_OFFSET(tbuf_search, lane, TBUF_U_LANE);
TBUF_ASSERT_OFFSET(tbuf_search, table, TBUF_U_TABLE);
TBUF_ASSERT_OFFSET(tbuf_search, heap, TBUF_U_HEAP);
TBUF_ASSERT_OFFSET(tbuf_search, last, TBUF_U_LAST);
TBUF_ASSERT_OFFSET(tbuf_search, end, TBUF_U_END);
TBUF_ASSERT_OFFSET(tbuf_search, entry, TBUF_U_ENTRY);
TBUF_ASSERT_OFFSET(tbuf_search, hash, TBUF_U_HASH);
TBUF_ASSERT_OFFSET(tbuf_search, key, TBUF_U_KEY);
TBUF_ASSERT_OFFSET(tbuf_search, size, TBUF_U_SIZE);
TBUF_ASSERT_OFFSET(tbuf_search, word, TBUF_U_WORD);
TBUF_ASSERT_OFFSET(tbuf_search, delta, TBUF_U_DELTA);
TBUF_ASSERT_OFFSET(tbuf_search, flip, TBUF_U_FLIP);
TBUF_ASSERT_OFFSET(tbuf_search, mask, TBUF_U_MASK);
_Static_assert(sizeof(struct tbuf_table) == TBUF_T_INDEX &&
    TBUF_TABLE_PROBES == TBUF_T_PROBES, "a table's index, and its search");
TBUF_ASSERT_OFFSET(tbuf_table_entry, values, TBUF_K_VALUES);
TBUF_ASSERT_OFFSET(tbuf_table_entry, nwords, TBUF_K_NWORDS);
TBUF_ASSERT_OFFSET(tbuf_table_entry, hash, TBUF_K_HASH);
_Static_assert(sizeof(struct tbuf_table_entry) == TBUF_K_KEY, "then its key");
TBUF_ASSERT_OFFSET(tbuf_ecb, next, TBUF_E_NEXT);
_Static_assert(sizeof(struct tbuf_ecb) == 8, "an ECB's place");
TBUF_ASSERT_OFFSET(tbuf_lane, head, TBUF_L_HEAD);
TBUF_ASSERT_OFFSET(tbuf_lane, last, TBUF_L_LAST);
TBUF_ASSERT_OFFSET(tbuf_lane, full, TBUF_L_FULL);
TBUF_ASSERT_OFFSET(tbuf_lane, sequence, TBUF_L_SEQUENCE);
TBUF_ASSERT_OFFSET(tbuf_lane, pair, TBUF_L_PAIR);
TBUF_ASSERT_OFFSET(tbuf_lane, restarts, TBUF_L_RESTARTS);
TBUF_ASSERT_OFFSET(tbuf_lane, limit, TBUF_L_LIMIT);
TBUF_ASSERT_OFFSET(tbuf_slot, generation, TBUF_S_GENERATION);
TBUF_ASSERT_OFFSET(tbuf_slot, deadline, TBUF_S_DEADLINE);
_Static_assert(TBUF_E_UNIT == TBUF_EPID_UNIT, "of a pair");
TBUF_ASSERT_OFFSET(tbuf_slot, turn, TBUF_S_TURN);
TBUF_ASSERT_OFFSET(tbuf_slot, cleared, TBUF_S_CLEARED);
TBUF_ASSERT_OFFSET(tbuf_site, enabled, TBUF_SITE_ENABLED);
TBUF_ASSERT_OFFSET(tbuf_site, index, TBUF_SITE_INDEX);

#endif
