/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The macros in C++: tests of features that C lacks.  matrix.sh compiles it
 * with every warning.
 */
#include <memory>
#include <stdexcept>
#include <string>
#if __cplusplus >= 201703L
#include <string_view>
#endif

#include "events.h"
#include "fake.h"
#include "inline.h"

namespace named { namespace inner {

template <class T>
struct Box {
	template <class U>
	static int get(U u)
	{
		TBUF_PROBE(test, qualified, u);
		return 1;
	}
};

} }

namespace {

enum plain { ONE = 1 };
enum class scoped : short { MINUS = -2, PLUS = 3 };
enum class yes_no : bool { YES = true };

struct fields {
	unsigned small : 3;
	int negative : 5;
	volatile long wide : 40;
	bool flag : 1;
	scoped choice : 4;
};

struct __attribute__((packed)) packed {
	char c;
	int misaligned;
};

/* A program's own string class. */
struct own_traits {
	typedef char char_type;
};
struct own_string {
	typedef own_traits traits_type;
	own_string() = default;
	own_string(const own_string &) = delete;
	const char *data() const { return "own\0string"; }
	unsigned size() const { return 10; }
};

int evaluated;

std::string
make_string(const char *from)
{
	evaluated++;
	/*
	 * This is too long for the string's own buffer: its destructor frees
	 * memory.
	 */
	return std::string(from) + ", a string on the heap, and a long one";
}

void
types()
{
	fields fields = { 7, -16, -5, true, scoped::PLUS };
	packed packed = { 'c', -7 };
	unsigned long ul = 1;

	TBUF_PROBE(test, types, ONE, scoped::MINUS, yes_no::YES, true,
	    nullptr, u'x', U'y', L'z', 'c', ul);
	EXPECT_INTEGER(fake_fires(), 1);
	EXPECT_ARGUMENT(0, "ONE", TBUF_UINT32, 1);
	EXPECT_ARGUMENT(1, "MINUS", TBUF_INT16, UINT64_MAX - 1);
	EXPECT_ARGUMENT(2, "YES", TBUF_BOOL, 1);
	EXPECT_ARGUMENT(3, "arg3", TBUF_BOOL, 1);
	EXPECT_ARGUMENT(4, "arg4", TBUF_POINTER, 0);
	EXPECT_ARGUMENT(5, "arg5", TBUF_UINT16, 'x');
	EXPECT_ARGUMENT(6, "arg6", TBUF_UINT32, 'y');
	EXPECT_INTEGER(fake_value(7), 'z');
	EXPECT_ARGUMENT(8, "arg8", TBUF_CHAR, 'c');
	EXPECT_ARGUMENT(9, "ul", TBUF_UINT64, 1);

	TBUF_PROBE(test, types, fields.small, fields.negative, fields.wide,
	    fields.flag, fields.choice, packed.misaligned, 1.5f, -2.0);
	EXPECT_INTEGER(fake_fires(), 1);
	EXPECT_ARGUMENT(0, "small", TBUF_UINT32, 7);
	EXPECT_ARGUMENT(1, "negative", TBUF_INT32, UINT64_MAX - 15);
	EXPECT_ARGUMENT(2, "wide", TBUF_INT64, UINT64_MAX - 4);
	EXPECT_ARGUMENT(3, "flag", TBUF_BOOL, 1);
	EXPECT_ARGUMENT(4, "choice", TBUF_INT16, 3);
	EXPECT_ARGUMENT(5, "misaligned", TBUF_INT32, UINT64_MAX - 6);
	EXPECT_ARGUMENT(6, "arg6", TBUF_FLOAT, 0x3fc00000);
	EXPECT_ARGUMENT(7, "arg7", TBUF_DOUBLE, 0xc000000000000000);
}

void
strings()
{
	const char *nothing = nullptr, *constant = "constant";
	char array[] = "array";
	std::string string("zero\0inside", 11);
	const std::string &reference = string;
	own_string own;

	TBUF_PROBE(test, strings, nothing, constant, array, "literal", string,
	    reference, own, std::string(), constant + 1,
	    TBUF_BYTES(string.data(), string.size()));
	EXPECT_INTEGER(fake_fires(), 1);
	EXPECT_ARGUMENT(0, "nothing", TBUF_STRING, 0);
	EXPECT_BYTES(1, "constant", TBUF_STRING, "constant", 8);
	EXPECT_BYTES(2, "array", TBUF_STRING, "array", 5);
	EXPECT_BYTES(3, "arg3", TBUF_STRING, "literal", 7);
	EXPECT_BYTES(4, "string", TBUF_STRING_SIZED, "zero\0inside", 11);
	EXPECT_BYTES(5, "reference", TBUF_STRING_SIZED, "zero\0inside", 11);
	EXPECT_BYTES(6, "own", TBUF_STRING_SIZED, "own\0string", 10);
	EXPECT_BYTES(7, "arg7", TBUF_STRING_SIZED, "", 0);
	EXPECT_BYTES(8, "arg8", TBUF_STRING, "onstant", 7);
	EXPECT_BYTES(9, "arg9", TBUF_BINARY, "zero\0inside", 11);
}

/* A program's own macro may contain a probe. */
#define WRAPPED(...)	TBUF_PROBE(test, __VA_ARGS__)

/* Any argument can be named. */
void
names()
{
	fields fields = { 7, -16, -5, true, scoped::PLUS };
	const char *text = "not ended";
	std::string string("string");
	int i = 0;

	evaluated = 0;
	TBUF_PROBE(test, names, TBUF_NAMED(made, make_string("one")),
	    TBUF_NAMED(sum, i++ + 5), TBUF_NAMED(body, TBUF_BYTES(text, 2)),
	    TBUF_NAMED(s, TBUF_TEXT(text, 3)), TBUF_TEXT(text, 4),
	    TBUF_NAMED(wide, fields.wide), TBUF_NAMED(choice, fields.choice),
	    TBUF_NAMED(string, string), static_cast<long>(i),
	    TBUF_NAMED(yes, true));
	EXPECT_INTEGER(fake_fires(), 1);
	EXPECT_INTEGER(evaluated, 1);
	EXPECT_INTEGER(i, 1);
	EXPECT_BYTES(0, "made", TBUF_STRING_SIZED,
	    "one, a string on the heap, and a long one", 41);
	EXPECT_ARGUMENT(1, "sum", TBUF_INT32, 5);
	EXPECT_BYTES(2, "body", TBUF_BINARY, "no", 2);
	EXPECT_BYTES(3, "s", TBUF_STRING_SIZED, "not", 3);
	EXPECT_BYTES(4, "text", TBUF_STRING_SIZED, "not ", 4);
	EXPECT_ARGUMENT(5, "wide", TBUF_INT64, UINT64_MAX - 4);
	EXPECT_ARGUMENT(6, "choice", TBUF_INT16, 3);
	EXPECT_BYTES(7, "string", TBUF_STRING_SIZED, "string", 6);
	EXPECT_ARGUMENT(8, "i", TBUF_INT64, 1);
	EXPECT_ARGUMENT(9, "yes", TBUF_BOOL, 1);

	WRAPPED(names, i, TBUF_NAMED(given, i + 1), TBUF_TEXT(text, 2));
	EXPECT_INTEGER(fake_fires(), 1);
	EXPECT_ARGUMENT(0, "i", TBUF_INT32, 1);
	EXPECT_ARGUMENT(1, "given", TBUF_INT32, 2);
	EXPECT_BYTES(2, "arg2", TBUF_STRING_SIZED, "no", 2);
}

/* Temporaries must live until the fire has ended. */
void
temporaries()
{
	std::string string("string");

	TBUF_PROBE(test, temporaries, make_string("one"),
	    make_string("two").c_str(), string + " three",
	    TBUF_BYTES(make_string("four").data(), 9));
	EXPECT_INTEGER(fake_fires(), 1);
	EXPECT_BYTES(0, "arg0", TBUF_STRING_SIZED,
	    "one, a string on the heap, and a long one", 41);
	EXPECT_BYTES(1, "arg1", TBUF_STRING,
	    "two, a string on the heap, and a long one", 41);
	EXPECT_BYTES(2, "arg2", TBUF_STRING_SIZED, "string three", 12);
	EXPECT_BYTES(3, "arg3", TBUF_BINARY, "four, a s", 9);
#if __cplusplus >= 201703L
	std::string_view view(string);
	TBUF_PROBE(test, temporaries, view, view.substr(1, 3),
	    std::string_view("literal").substr(3),
	    std::string_view(make_string("five")));
	EXPECT_INTEGER(fake_fires(), 1);
	EXPECT_BYTES(0, "view", TBUF_STRING_SIZED, "string", 6);
	EXPECT_BYTES(1, "arg1", TBUF_STRING_SIZED, "tri", 3);
	EXPECT_BYTES(2, "arg2", TBUF_STRING_SIZED, "eral", 4);
	EXPECT_BYTES(3, "arg3", TBUF_STRING_SIZED,
	    "five, a string on the heap, and a long one", 42);
#endif
}

void
evaluation(int on)
{
	auto unique = std::unique_ptr<int>(new int(5));
	int i = 0;

	evaluated = 0;
	TBUF_PROBE(test, evaluation, i++, make_string("x"), i++, *unique,
	    unique.get(), i);
	EXPECT_INTEGER(i, 2 * on);
	EXPECT_INTEGER(evaluated, on);
	EXPECT_INTEGER(fake_fires(), on);
	if (!on)
		return;
	/* Arguments are evaluated from left to right. */
	EXPECT_INTEGER(fake_value(0), 0);
	EXPECT_INTEGER(fake_value(2), 1);
	EXPECT_INTEGER(fake_value(5), 2);
	EXPECT_ARGUMENT(4, "arg4", TBUF_POINTER,
	    reinterpret_cast<uint64_t>(unique.get()));
}

int
throwing(int x)
{
	if (x == 0)
		throw std::runtime_error("zero");
	return x;
}

void
exceptions(int on)
{
	bool caught = false;

	try {
		TBUF_PROBE(test, exceptions, make_string("x"), throwing(0));
	} catch (const std::runtime_error &) {
		caught = true;
	}
	EXPECT_INTEGER(caught, on);
	EXPECT_INTEGER(fake_fires(), 0);
}

void
lambdas(int on)
{
	int outer = 7;
	auto lambda = [&outer](const std::string &s) {
		TBUF_PROBE(test, lambdas, outer, s);
		return TBUF_ENABLED(test, lambdas);
	};

	EXPECT_INTEGER(lambda("text"), on);
	EXPECT_INTEGER(fake_fires(), on);
	if (on) {
		EXPECT_STRING(fake_last.function, "lambdas::lambda");
		EXPECT_ARGUMENT(0, "outer", TBUF_INT32, 7);
		EXPECT_BYTES(1, "s", TBUF_STRING_SIZED, "text", 4);
	}
#if __cplusplus >= 201402L
	auto generic = [](auto x) {
		TBUF_PROBE(test, lambdas, x);
	};
	generic(1);
	generic("x");
	generic(std::string("y"));
	EXPECT_INTEGER(fake_fires(), 3 * on);
	if (on)
		EXPECT_BYTES(0, "x", TBUF_STRING_SIZED, "y", 1);
#endif
}

/* Each instance of a template has a site with its own types, and one text. */
void
templates(int on)
{
	EXPECT_INTEGER(template_probe(static_cast<short>(-3)), on);
	EXPECT_INTEGER(fake_fires(), on);
	if (on)
		EXPECT_ARGUMENT(0, "x", TBUF_INT16, UINT64_MAX - 2);
	EXPECT_INTEGER(template_probe(std::string("text")), on);
	if (on) {
		EXPECT_BYTES(0, "x", TBUF_STRING_SIZED, "text", 4);
		EXPECT_STRING(fake_last.function, "template_probe");
	}
	EXPECT_INTEGER(template_probe("string"), on);
	if (on)
		EXPECT_BYTES(0, "x", TBUF_STRING, "string", 6);
	EXPECT_INTEGER(fake_fires(), 2 * on);
}

void
classes(int on)
{
	{
		Widget widget(11);
		EXPECT_INTEGER(fake_fires(), on);
		if (on) {
			EXPECT_STRING(fake_last.function, "Widget::Widget");
			EXPECT_ARGUMENT(1, "size_", TBUF_INT32, 11);
		}
		EXPECT_INTEGER(widget.size(), 11);
		EXPECT_INTEGER(fake_fires(), on);
		if (on)
			EXPECT_ARGUMENT(0, "this", TBUF_POINTER,
			    reinterpret_cast<uint64_t>(&widget));
	}
	EXPECT_INTEGER(fake_fires(), on);
	if (on)
		EXPECT_STRING(fake_last.function, "Widget::~Widget");
}

/*
 * The field has the qualified name, without other parts of the compiler's text.
 */
template <class T>
struct Box {
	template <class U>
	static int get(const Box &, U u)
	{
		TBUF_PROBE(test, qualified, u);
		return 0;
	}
	int (*operator[](int i) const)(int)
	{
		TBUF_PROBE(test, qualified, i);
		return throwing;
	}
};

void
qualified(int on)
{
	Box<std::string> box;
	struct Local {
		static void run() { TBUF_PROBE(test, qualified); }
	};

	EXPECT_INTEGER(named::inner::Box<int>::get(std::string()), 1);
	if (on)
		EXPECT_STRING(fake_last.function, "named::inner::Box::get");
	box.get(box, 1);
	if (on)
		EXPECT_STRING(fake_last.function, "Box::get");
	EXPECT(box[1] == throwing);
	if (on)
		EXPECT_STRING(fake_last.function, "Box::operator[]");
	Local::run();
	if (on)
		EXPECT_STRING(fake_last.function, "qualified::Local::run");
	EXPECT_INTEGER(fake_fires(), 4 * on);
}

void
other(int on)
{
	EXPECT_INTEGER(inline_probe(comdat_probe(3)), on ? 3 : -3);
	EXPECT_INTEGER(fake_fires(), 2 * on);
	EXPECT_INTEGER(other_unit(4), on ? 4 : -4);
	/* constructor, other, comdat, inline, template, method, destructor */
	EXPECT_INTEGER(fake_fires(), 7 * on);
}

void
statements(int on)
{
	bool test = TBUF_ENABLED(test, statements);

	EXPECT_INTEGER(test, on);
	if (on)
		TBUF_PROBE(test, statements);
	else
		TBUF_PROBE(test, statements, on);
	EXPECT_INTEGER(fake_fires(), on);
	TBUF_PROBE(test, statements, TBUF_ENABLED(test, statements));
	EXPECT_INTEGER(fake_fires(), on);
	if (on)
		EXPECT_ARGUMENT(0, "arg0", TBUF_BOOL, 1);
}

void
everything(int on)
{
	static const char *const traced[] = { "evaluation", "exceptions",
		"lambdas", "in-template", "in-constructor", "in-destructor",
		"in-method", "qualified", "in-inline", "in-comdat",
		"in-other", "statements" };

	for (const char *name : traced)
		EXPECT(fake_enable(name, on) > 0);
	evaluation(on);
	exceptions(on);
	lambdas(on);
	templates(on);
	classes(on);
	qualified(on);
	other(on);
	statements(on);
	events(on);
}

}

int
main()
{
	static const char *const enabled[] = { "types", "strings", "names",
		"temporaries" };

	EXPECT(fake_sites("in-template", "template_probe") >= 6);
	EXPECT(fake_sites("in-comdat", "comdat_probe") >= 1);
	for (const char *name : enabled)
		EXPECT(fake_enable(name, 1) > 0);
	types();
	strings();
	names();
	temporaries();
	everything(0);
	everything(1);
	everything(0);
	return fake_end();
}
