/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Work units in C++: one with an outcome, one that an exception ends, and one
 * that another thread continues.
 */
#include <stdexcept>
#include <thread>

#include <tbuf.h>

static void
fire(int n)
{
	TBUF_PROBE(tt, step, n);
}

static void
fails()
{
	tbuf::unit unit("thrown", 2);

	fire(2);
	throw std::runtime_error("no");
}

int
main()
{
	{
		tbuf::unit unit("given", 1);

		fire(1);
		unit.outcome(5);
	}
	try {
		fails();
	} catch (const std::runtime_error &) {
	}
	tbuf::unit unit("moved", 3);

	fire(3);
	if (unit.leave() != 0)
		return 1;
	std::thread([&unit] {
		tbuf::inside inside(unit.get());

		fire(4);
	}).join();
	fire(0);
	return unit.enter();
}
