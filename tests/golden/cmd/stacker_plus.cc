/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions with C++ names.
 */
#include <tbuf.h>

extern "C" void stacker_plus(void);

namespace plus {

template <typename T> struct queue {
	__attribute__((noinline)) void push(T value);
};

template <typename T> void
queue<T>::push(T value)
{
	TBUF_PROBE(stacker, plus, value);
	__asm__ volatile("" ::: "memory");
}

}

void
stacker_plus(void)
{
	plus::queue<int> numbers;

	numbers.push(1);
	__asm__ volatile("" ::: "memory");
}
