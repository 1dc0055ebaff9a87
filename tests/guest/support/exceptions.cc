/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * C++ exceptions thrown by a probe's arguments, through functions that fire and
 * past destructors that fire.  2000 fires are recorded: 500 without an
 * exception, 1000 of destructors, 500 of a catch.
 */
#include <stdexcept>
#include <string>

#include <tbuf.h>

namespace {

struct scope {
	int number;
	explicit scope(int n) : number(n) {}
	~scope() { TBUF_PROBE(guest, destructor, number); }
};

std::string
text_or_throw(int number)
{
	if (number % 2 != 0)
		throw std::runtime_error("odd");
	return ("even");
}

void
fire(int number)
{
	const scope s(number);

	TBUF_PROBE(guest, argument, number, text_or_throw(number));
}

}

int
main()
{
	int number, caught = 0;

	for (number = 0; number < 1000; number++) {
		try {
			fire(number);
		} catch (const std::runtime_error &e) {
			caught++;
			TBUF_PROBE(guest, caught, number, e.what());
		}
	}
	/* Arguments are not evaluated while the probe is not traced. */
	return (caught == 500 || caught == 0 ? 0 : 1);
}
