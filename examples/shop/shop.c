/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program with a probe, which pkg-config, CMake and meson build.
 */
#include <tbuf.h>

struct order {
	int		 id;
	const char	*name;
	int		 cents;
};

static void
order_finish(const struct order *order)
{
	TBUF_PROBE(shop, order__done, order->id, order->name, order->cents);
}

int
main(void)
{
	int i;

	for (i = 1; i <= 3; i++)
		order_finish(&(struct order){ i, "tea", 250 * i });
	return (0);
}
