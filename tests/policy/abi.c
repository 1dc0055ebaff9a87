/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sizes and offsets that programs are built with (tests/policy/abi.sh compiles
 * this as C and as C++).  A new field takes reserved words; any other change
 * here needs another version number of libtbuf.so.
 */
#include <tbuf_consumer.h>
#include <tbuf_text.h>

#ifdef __cplusplus
#define SAME(name, found, size)	static_assert((found) == (size), name)
#else
#define SAME(name, found, size)	_Static_assert((found) == (size), name)
#endif
#define SIZE(name, size)						\
	SAME(#name, sizeof(struct name), size)
#define PLACE(name, field, at)						\
	SAME(#name "." #field, offsetof(struct name, field), at)

/* These structures are the program's memory, which the library writes. */
PLACE(tbuf_component, wanted, 8);
PLACE(tbuf_component, order, 72);
PLACE(tbuf_component, sites, 96);
SIZE(tbuf_component, 416);
PLACE(tbuf_event, count, 16);
PLACE(tbuf_event, child, 24);
PLACE(tbuf_event, signal, 32);
PLACE(tbuf_event, fault, 36);
PLACE(tbuf_event, address, 56);
PLACE(tbuf_event, after, 64);
PLACE(tbuf_event, before, 72);
PLACE(tbuf_event, reserved, 80);
PLACE(tbuf_event, record, 96);
SIZE(tbuf_event, 216);
PLACE(tbuf_record, time, 16);
PLACE(tbuf_record, probe, 32);
PLACE(tbuf_record, nargs, 40);
PLACE(tbuf_record, args, 48);
PLACE(tbuf_record, npieces, 56);
PLACE(tbuf_record, pieces, 64);
PLACE(tbuf_record, layout, 72);
PLACE(tbuf_record, epid, 80);
PLACE(tbuf_record, execname, 96);
PLACE(tbuf_record, reserved, 104);
SIZE(tbuf_record, 120);
PLACE(tbuf_totals, drops, 16);
PLACE(tbuf_totals, reserved, 32);
SIZE(tbuf_totals, 64);

/* These structures are the library's, and programs may copy them. */
PLACE(tbuf_lane_status, consumer_name, 8);
PLACE(tbuf_lane_status, size, 24);
PLACE(tbuf_lane_status, number, 40);
PLACE(tbuf_lane_status, drops, 72);
PLACE(tbuf_lane_status, uncounted, 96);
PLACE(tbuf_lane_status, reserved, 104);
SIZE(tbuf_lane_status, 160);

/* Elements of arrays never change; additions have to be data. */
PLACE(tbuf_value, size, 4);
PLACE(tbuf_value, data, 8);
SIZE(tbuf_value, 16);

/* These structures are the library's, and may grow at their end. */
PLACE(tbuf_probe_info, types, 44);
PLACE(tbuf_probe_info, argnames, 56);
PLACE(tbuf_probe_info, code, 136);
PLACE(tbuf_probe_info, elder, 144);
