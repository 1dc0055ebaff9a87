/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A target in C++ whose probe has a pointer to what its debug information
 * describes: classes in a namespace, with bases, references and templates.
 */
#include <cstdint>
#include <string>

#include <tbuf.h>

namespace store {

enum class Kind : uint8_t { Get = 1, Put = 9 };

struct Peer {
	int fd;
	const char *name;
};

template <typename T> struct Pair {
	T first, second;
};

class Base {
public:
	int number;
protected:
	long weight;
};

class Request : public Base {
public:
	Request(const char *path, Peer &peer) : path_(path), peer_(peer)
	{
		number = 41;
		weight = 42;
	}
	void serve();
private:
	const char *path_;
	Peer &peer_;
	Kind kind_ = Kind::Put;
	Pair<int> pair_ = { 3, 4 };
	bool done_ = true;
};

__attribute__((noinline)) void
Request::serve()
{
	Request *request = this;

	TBUF_PROBE(plus, serve, request);
}

}

int
main()
{
	store::Peer peer = { 7, "alice" };
	store::Request request("/index.html", peer);

	request.serve();
	return (0);
}
