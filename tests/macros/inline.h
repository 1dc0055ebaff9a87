/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program's header with probes in inline functions; two units of each test
 * program include it.
 */
#ifndef TBUF_TESTS_INLINE_H
#define TBUF_TESTS_INLINE_H

#include <tbuf.h>

static inline int
inline_probe(int x)
{
	TBUF_PROBE(test, in__inline, x);
	return (TBUF_ENABLED(test, in__inline) ? x : -x);
}

#ifdef __cplusplus
extern "C" {
#endif
int	other_unit(int x);
#ifdef __cplusplus
}

/* This function is in a section group of its own, unlike the above. */
inline int
comdat_probe(int x)
{
	TBUF_PROBE(test, in__comdat, x);
	return x;
}

template <class T>
int
template_probe(T x)
{
	TBUF_PROBE(test, in__template, x);
	return TBUF_ENABLED(test, in__template) ? 1 : 0;
}

class Widget {
public:
	explicit Widget(int size) : size_(size)
	{
		TBUF_PROBE(test, in__constructor, size, this->size_);
	}
	~Widget()
	{
		TBUF_PROBE(test, in__destructor, size_);
	}
	int size() const
	{
		TBUF_PROBE(test, in__method, this, size_);
		return size_;
	}
private:
	int size_;
};
#endif

#endif
