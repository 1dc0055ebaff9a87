/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A machine for tests.  See fixture.h.
 */
#include <sys/mman.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

static struct fixture *
fixture(struct tbuf_machine *m)
{
	return ((struct fixture *)(void *)m);
}

static __attribute__((format(printf, 2, 3))) void
note(struct tbuf_machine *m, const char *format, ...)
{
	struct fixture *f = fixture(m);
	size_t used = strlen(f->log);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(f->log + used, sizeof(f->log) - used, format, arguments);
	va_end(arguments);
}

static void
note_bytes(struct tbuf_machine *m, const uint8_t *bytes, uint32_t size)
{
	uint32_t i;

	for (i = 0; i < size; i++)
		note(m, "%02x", bytes[i]);
}

static void
note_key(struct tbuf_machine *m, const char *what)
{
	note(m, "%s[%" PRIu32 ":", what, m->key_size);
	note_bytes(m, m->key.bytes, m->key.used);
	note(m, "]");
}

static int
builtin(struct tbuf_machine *m, unsigned which, uint64_t *value)
{
	*value = which == TBUF_BUILTIN_EXECNAME ?
	    tbuf_address(TBUF_OBJECT_BUILTIN, which, 0) : 1000u + which;
	(void)m;
	return (0);
}

static int
object(struct tbuf_machine *m, unsigned kind, uint32_t index,
    struct tbuf_span *span)
{
	static char execname[] = "kvd";

	if (kind == TBUF_OBJECT_BUILTIN && index == TBUF_BUILTIN_EXECNAME) {
		span->at = (uint8_t *)execname;
		span->size = sizeof(execname);
		return (0);
	}
	if (kind != TBUF_OBJECT_GLOBAL || index >= FIXTURE_VARIABLES)
		return (TBUF_FAULT_ADDRESS);
	span->writable = true;
	span->at = index == 3 ? fixture(m)->array :
	    (uint8_t *)fixture(m)->texts[index];
	span->size = index == 3 ? sizeof(fixture(m)->array) :
	    sizeof(fixture(m)->texts[index]);
	return (0);
}

static int
load(struct tbuf_machine *m, enum tbuf_scope scope, uint32_t id,
    uint64_t *value)
{
	if (scope >= TBUF_SCOPE_ARRAY)
		note_key(m, "load");
	*value = id < FIXTURE_VARIABLES ? fixture(m)->numbers[id] : 0;
	return (fixture(m)->answer);
}

static int
store(struct tbuf_machine *m, enum tbuf_scope scope, uint32_t id,
    uint64_t value)
{
	if (scope >= TBUF_SCOPE_ARRAY)
		note_key(m, "store");
	if (id < FIXTURE_VARIABLES)
		fixture(m)->numbers[id] = value;
	return (fixture(m)->answer);
}

static int
refer(struct tbuf_machine *m, enum tbuf_scope scope, uint32_t id,
    uint64_t *address)
{
	(void)scope;
	*address = id < FIXTURE_VARIABLES && (id == 3 ||
	    fixture(m)->set[id]) ? tbuf_address(TBUF_OBJECT_GLOBAL, id, 0) : 0;
	return (fixture(m)->answer);
}

static int
store_text(struct tbuf_machine *m, enum tbuf_scope scope, uint32_t id,
    const uint8_t *bytes, uint32_t size)
{
	(void)scope;
	if (id >= FIXTURE_VARIABLES)
		return (fixture(m)->answer);
	fixture(m)->set[id] = bytes != NULL;
	memmove(fixture(m)->texts[id], bytes == NULL ? (const uint8_t *)"" :
	    bytes, size);
	fixture(m)->texts[id][size] = '\0';
	return (fixture(m)->answer);
}

static int
store_bytes(struct tbuf_machine *m, enum tbuf_scope scope, uint32_t id,
    const uint8_t *bytes, uint32_t size)
{
	note(m, "bytes(%d, %" PRIu32 ") ", (int)scope, id);
	note_bytes(m, bytes, size);
	return (fixture(m)->answer);
}

/* The program's only memory: "program's own" with its NUL, at 0x1000. */
#define MEMORY		0x1000u
static const char memory[] = "program's own";

static int
copyin(struct tbuf_machine *m, uint64_t address, uint8_t *to, uint64_t size)
{
	(void)m;
	if (address < MEMORY || address - MEMORY >= 256 ||
	    size > 256 - (address - MEMORY))
		return (TBUF_FAULT_ADDRESS);
	memset(to, 0, size);
	if (address - MEMORY < sizeof(memory))
		memcpy(to, memory + (address - MEMORY),
		    size < sizeof(memory) - (address - MEMORY) ? size :
		    sizeof(memory) - (address - MEMORY));
	return (0);
}

static int
copyout(struct tbuf_machine *m, uint64_t address, const uint8_t *from,
    uint64_t size)
{
	note(m, "out(%" PRIx64 ") ", address);
	note_bytes(m, from, (uint32_t)size);
	return (fixture(m)->answer);
}

static int
room(struct tbuf_machine *m, uint32_t record)
{
	note(m, "room(%" PRIu32 ") ", record);
	return (fixture(m)->answer);
}

static int
emit(struct tbuf_machine *m, uint32_t record)
{
	note(m, "emit(%" PRIu32 ") ", record);
	note_bytes(m, m->record.bytes, m->record.used);
	return (fixture(m)->answer);
}

static int
update(struct tbuf_machine *m, const struct tbuf_update *u)
{
	note_key(m, "update");
	note(m, " %" PRIu32 " %d %" PRId64 " %" PRId64 " %" PRId64,
	    u->aggregation, (int)u->function, (int64_t)u->value,
	    (int64_t)u->weight, (int64_t)u->parameter);
	return (fixture(m)->answer);
}

#define NOTED(name)							\
static int								\
name(struct tbuf_machine *m, uint64_t value)				\
{									\
	note(m, #name "(%" PRId64 ")", (int64_t)value);			\
	return (fixture(m)->answer);					\
}
NOTED(leave)
NOTED(speculate)
NOTED(commit)
NOTED(discard)

static int
snapshot(struct tbuf_machine *m)
{
	note(m, "snapshot()");
	return (fixture(m)->answer);
}

static int
speculation(struct tbuf_machine *m, uint64_t *id)
{
	*id = 7;
	return (fixture(m)->answer);
}

static int
outside(struct tbuf_machine *m, unsigned subroutine,
    const uint64_t *arguments, unsigned count, uint64_t *result)
{
	note(m, "call(%u, %u)", subroutine, count);
	*result = arguments[0] + 1;
	return (fixture(m)->answer);
}

/* Fills half of the room. */
static int
stack(struct tbuf_machine *m, uint64_t image, uint8_t *to, uint32_t *size)
{
	*size /= 2;
	memset(to, (int)image, *size);
	return (fixture(m)->answer);
}

static bool
resume(struct tbuf_machine *m)
{
	note(m, "resume()");
	return (fixture(m)->resumes);
}

static const struct tbuf_surroundings surroundings = {
	.builtin = builtin, .object = object, .load = load, .store = store,
	.refer = refer, .store_text = store_text, .store_bytes = store_bytes,
	.copyin = copyin, .copyout = copyout, .room = room, .emit = emit,
	.update = update, .exit = leave, .speculation = speculation,
	.speculate = speculate, .commit = commit, .discard = discard,
	.snapshot = snapshot,
	.stack = stack, .resume = resume, .call = outside
};

/* ------------------------------------------------------------ memory */

#define PAGE	4096u
#define LENT	5

/* Returns a buffer at the end of the n-th page. */
static struct tbuf_buffer
lend(struct fixture *f, unsigned n, uint32_t size)
{
	uint8_t *page = f->pages + (size_t)n * 2 * PAGE;

	ck_assert_int_eq(mprotect(page + PAGE, PAGE, PROT_NONE), 0);
	memset(page, 0xee, PAGE);
	return ((struct tbuf_buffer){ page + PAGE - size, size, 0 });
}

void
fixture_begin(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	f->pages = mmap(NULL, (size_t)LENT * 2 * PAGE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(f->pages, MAP_FAILED);
	f->m.code = f->code;
	f->m.constants = (const uint8_t *)f->constants;
	f->m.values = f->values;
	f->m.types = f->types;
	f->m.strsize = FIXTURE_STRSIZE;
	f->m.surroundings = &surroundings;
	f->m.scratch = lend(f, 0, FIXTURE_SCRATCH);
	f->m.temporary = lend(f, 1, 512);
	f->m.key = lend(f, 2, 128);
	f->m.record = lend(f, 3, 128);
	f->m.token = lend(f, 4, FIXTURE_STRSIZE);
	f->m.token_at = TBUF_TOKEN_NONE;
	fixture_clear(f);
}

void
fixture_end(struct fixture *f)
{
	munmap(f->pages, (size_t)LENT * 2 * PAGE);
}

void
fixture_clear(struct fixture *f)
{
	f->m.length = 0;
	f->m.constants_size = 0;
	f->m.fuel = TBUF_FUEL;
	f->log[0] = '\0';
}

/* ------------------------------------------------------------ programs */

unsigned
op(struct fixture *f, unsigned operation, unsigned a, unsigned b, unsigned c,
    uint64_t immediate)
{
	ck_assert_uint_lt(f->m.length, 256);
	f->code[f->m.length] = tbuf_word(operation, a, b, c,
	    (uint32_t)immediate);
	return (f->m.length++);
}

void
number(struct fixture *f, unsigned a, uint64_t value)
{
	op(f, TBUF_OP_LDI, a, 0, 0, value);
	if ((uint64_t)(int32_t)(uint32_t)value != value)
		op(f, TBUF_OP_LDIH, a, 0, 0, value >> 32);
}

void
text(struct fixture *f, unsigned a, const char *s)
{
	size_t size;

	if (s == NULL) {
		number(f, a, 0);
		return;
	}
	size = strlen(s) + 1;
	ck_assert_uint_le(f->m.constants_size + size, sizeof(f->constants));
	memcpy(f->constants + f->m.constants_size, s, size);
	op(f, TBUF_OP_LDC, a, 0, 0, f->m.constants_size);
	f->m.constants_size += (uint32_t)size;
}

uint64_t
returns(struct fixture *f, unsigned a)
{
	enum tbuf_end end;

	op(f, TBUF_OP_RET, a, 0, 0, 0);
	end = tbuf_machine_run(&f->m);
	ck_assert_msg(end == TBUF_END_DONE, "end %d, fault %u (%#" PRIx64
	    ") at %u", (int)end, f->m.fault.number, f->m.fault.address,
	    f->m.fault.at);
	return (f->m.value);
}

void
faults(struct fixture *f, unsigned fault, uint64_t address)
{
	ck_assert_int_eq(tbuf_machine_run(&f->m), TBUF_END_FAULT);
	ck_assert_uint_eq(f->m.fault.number, fault);
	ck_assert_uint_eq(f->m.fault.address, address);
}

const char *
text_at(struct fixture *f, uint64_t address)
{
	static char copy[4096];
	const char *from;

	if (address == 0)
		return (NULL);
	ck_assert(tbuf_address_is(address));
	ck_assert_uint_eq(tbuf_address_kind(address), TBUF_OBJECT_TEMPORARY);
	ck_assert_uint_lt((uint32_t)address, f->m.temporary.used);
	from = (const char *)f->m.temporary.bytes + (uint32_t)address;
	ck_assert_ptr_nonnull(memchr(from, '\0', f->m.temporary.used -
	    (uint32_t)address));
	snprintf(copy, sizeof(copy), "%s", from);
	return (copy);
}

uint64_t
call(struct fixture *f, unsigned subroutine, unsigned count, ...)
{
	va_list arguments;
	unsigned i;

	fixture_clear(f);
	va_start(arguments, count);
	for (i = 0; i < count; i++)
		number(f, 2 + i, va_arg(arguments, uint64_t));
	va_end(arguments);
	op(f, TBUF_OP_CALL, 1, 2, count, subroutine);
	return (returns(f, 1));
}

static void
prepare(struct fixture *f, unsigned subroutine, const char *pattern,
    va_list arguments)
{
	unsigned i;

	fixture_clear(f);
	for (i = 0; pattern[i] != '\0'; i++)
		if (pattern[i] == 's')
			text(f, 2 + i, va_arg(arguments, const char *));
		else
			number(f, 2 + i, (uint64_t)va_arg(arguments, int64_t));
	op(f, TBUF_OP_CALL, 1, 2, i, subroutine);
}

uint64_t
call_with(struct fixture *f, unsigned subroutine, const char *pattern, ...)
{
	va_list arguments;

	va_start(arguments, pattern);
	prepare(f, subroutine, pattern, arguments);
	va_end(arguments);
	return (returns(f, 1));
}

const char *
text_of(struct fixture *f, unsigned subroutine, const char *pattern, ...)
{
	va_list arguments;

	va_start(arguments, pattern);
	prepare(f, subroutine, pattern, arguments);
	va_end(arguments);
	return (text_at(f, returns(f, 1)));
}

void
call_faults(struct fixture *f, unsigned fault, uint64_t address,
    unsigned subroutine, const char *pattern, ...)
{
	va_list arguments;

	va_start(arguments, pattern);
	prepare(f, subroutine, pattern, arguments);
	va_end(arguments);
	faults(f, fault, address);
}
