/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The sizes and places that programs are built with (tests/policy/abi.sh compiles
 * this as C and as C++).  A field that is new takes reserved words; nothing
 * here changes without another number of libtbuf.so.
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

/* Memory of the program's, written by the library. */
PLACE(tbuf_component, wanted, 8);
PLACE(tbuf_component, order, 72);
PLACE(tbuf_component, sites, 96);
SIZE(tbuf_component, 416);
PLACE(tbuf_event, count, 16);
PLACE(tbuf_event, child, 24);
PLACE(tbuf_event, signal, 32);
PLACE(tbuf_event, fault, 36);
PLACE(tbuf_event, address, 56);
PLACE(tbuf_event, reserved, 64);
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
PLACE(tbuf_record, reserved, 96);
SIZE(tbuf_record, 120);
PLACE(tbuf_totals, drops, 16);
PLACE(tbuf_totals, reserved, 32);
SIZE(tbuf_totals, 64);

/* The library's own, which programs may copy. */
PLACE(tbuf_lane_status, consumer_name, 8);
PLACE(tbuf_lane_status, size, 24);
PLACE(tbuf_lane_status, number, 40);
PLACE(tbuf_lane_status, drops, 72);
PLACE(tbuf_lane_status, reserved, 96);
SIZE(tbuf_lane_status, 160);

/* An array's element: it stays so.  What more there is to say is data. */
PLACE(tbuf_value, size, 4);
PLACE(tbuf_value, data, 8);
SIZE(tbuf_value, 16);

/* The library's own, which grows at its end. */
PLACE(tbuf_probe_info, types, 44);
PLACE(tbuf_probe_info, argnames, 56);
