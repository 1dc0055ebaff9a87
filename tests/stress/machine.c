/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A machine runs programs while another thread overwrites them, their constants
 * and the variables.  Each run must end, and must not leave its memory.
 *
 *	machine [-s seed] [runs]
 *
 * The machine has little memory, all of it directly before inaccessible pages.
 */
#include <sys/mman.h>

#include <err.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "fuzz/support/fuzz.h"
#include "fuzz/support/world.h"
#include "machine/names.h"

#define RUNS		200000
#define WORDS		256
#define FIXED		12	/* words that are not overwritten */
#define WRITABLE	5	/* first register with a writable address */
#define NUMBERS		9	/* first register without an address */
#define CONSTANTS	64
#define PAGE		4096u

static struct {
	uint64_t code[WORDS];
	uint8_t *constants;
	uint8_t *text;
	struct world world;
	uint64_t seed;
	bool stop;
	uint64_t overwritten;
} stress;

/* Implements xorshift64*. */
static uint64_t
draw(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (*state * UINT64_C(0x2545f4914f6cdd1d));
}

/* Returns memory directly before an inaccessible page. */
static struct tbuf_buffer
lend(uint32_t room)
{
	uint8_t *pages = mmap(NULL, 2 * (size_t)PAGE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || mprotect(pages + PAGE, PAGE, PROT_NONE) != 0)
		err(1, "mmap");
	return ((struct tbuf_buffer){ pages + PAGE - room, room, 0 });
}

/* Returns true if an operation ends a program or skips most of it. */
static bool
ends_soon(uint64_t word)
{
	switch (tbuf_word_operation(word)) {
	case TBUF_OP_END:
	case TBUF_OP_RET:
	case TBUF_OP_FAULT:
	case TBUF_OP_BOUND:
	case TBUF_OP_ROOM ... TBUF_OP_EMIT:
		return (true);
	}
	return (false);
}

/*
 * Returns a word that makes sense and mostly does not end the program: results
 * go to registers without addresses, and offsets are small.
 */
static uint64_t
sensible(uint64_t random, uint32_t at)
{
	uint32_t left = WORDS - 1 - at, immediate;
	uint64_t word;
	unsigned operation, a, b;

	/*
	 * Calls are the most complex operations, so half of the words are
	 * calls.
	 */
	if ((random >> 40) % 2 == 0)
		random = (random & ~UINT64_C(0xff)) | TBUF_OP_CALL;
	word = world_tame(random, left < 4 ? left : 4, CONSTANTS);
	operation = tbuf_word_operation(word);
	if (ends_soon(word) && random >> 56 != 0)
		return (tbuf_word(TBUF_OP_KEYN, 0, 0, 0, 0));
	immediate = tbuf_word_immediate(word);
	a = tbuf_word_a(word);
	b = tbuf_word_b(word);
	if (tbuf_operation_table[operation].fields[0] == 'w')
		a = NUMBERS + a % (TBUF_REGISTERS - NUMBERS);
	else if (operation >= TBUF_OP_KEY && operation < TBUF_OP_TCMP)
		a %= NUMBERS;
	if (operation >= TBUF_OP_LD1S && operation <= TBUF_OP_ST8) {
		immediate %= random >> 60 == 0 ? 64 : 8;
		b = operation < TBUF_OP_ST1 ? b % NUMBERS : WRITABLE + b % 4;
	} else if (operation >= TBUF_OP_TCMP)
		b %= NUMBERS - TBUF_CALL_ARGUMENTS;
	return (tbuf_word(operation, a, b, tbuf_word_c(word), immediate));
}

static void
word_store(uint32_t at, uint64_t random, uint64_t word)
{
	uint32_t *half = (uint32_t *)(void *)&stress.code[at];

	switch (random % 32) {
	case 0:		/* torn: half of a word */
		tbuf_store(half + random / 32 % 2, (uint32_t)word);
		break;
	case 1:		/* any word */
		tbuf_store(&stress.code[at], word);
		break;
	default:
		tbuf_store(&stress.code[at], sensible(word, at));
	}
}

/* Begins with registers that have addresses of each kind of memory. */
static void
code_begin(void)
{
	const uint64_t words[] = {
		tbuf_word(TBUF_OP_LDI, 15, 0, 0, 30),
		tbuf_word(TBUF_OP_LDAT, 0, 0, 0, 0),
		tbuf_word(TBUF_OP_LDAT, 1, 0, 0, 1),
		tbuf_word(TBUF_OP_LDAT, 2, 0, 0, 2),
		tbuf_word(TBUF_OP_LDC, 3, 0, 0, 0),
		tbuf_word(TBUF_OP_LDC, 4, 0, 0, 9),
		tbuf_word(TBUF_OP_LDR, 5, 0, TBUF_SCOPE_GLOBAL, 0),
		tbuf_word(TBUF_OP_LDR, 6, 0, TBUF_SCOPE_GLOBAL, 1),
		tbuf_word(TBUF_OP_CALL, 7, 15, 1, TBUF_SUB_ALLOCA),
		tbuf_word(TBUF_OP_TMP, 8, 0, 0, 40),
		tbuf_word(TBUF_OP_LDI, 9, 0, 0, 16),
		tbuf_word(TBUF_OP_LDI, 10, 0, 0, WORLD_ADDRESS)
	};
	uint64_t state = stress.seed;
	uint32_t i;

	for (i = 0; i < WORDS; i++)
		stress.code[i] = i < FIXED ? words[i] :
		    sensible(draw(&state), i);
	_Static_assert(sizeof(words) / sizeof(words[0]) == FIXED, "FIXED");
}

static void
overwrite(uint64_t *state)
{
	uint64_t random = draw(state), word = draw(state);
	/* A NUL is rare, so that texts have any length. */
	uint8_t byte = (uint8_t)(word >> 58 == 0 ? 0 : "/.a0\xffxyz"[word % 8]);

	switch (random % 8) {
	case 0:
		tbuf_store(&stress.constants[random / 8 % (CONSTANTS - 1)],
		    byte);
		break;
	case 1:
		tbuf_store(&stress.text[random / 8 % (CONSTANTS - 1)], byte);
		break;
	case 2:
		tbuf_store(&stress.world.texts[random / 8 % WORLD_VARIABLES]
		    [random / 64 % WORLD_TEXT], byte);
		break;
	default:
		word_store((uint32_t)(FIXED + random / 8 % (WORDS - FIXED)),
		    random >> 32, word);
	}
}

static void *
overwriter(void *unused)
{
	uint64_t state = stress.seed ^ 1, n;

	(void)unused;
	for (n = 0; !tbuf_load(&stress.stop); n++)
		overwrite(&state);
	tbuf_store(&stress.overwritten, n);
	return (NULL);
}

/* Sets arguments: texts of all kinds, and numbers that are addresses. */
static void
prepare(uint64_t values[4], uint8_t types[4], struct tbuf_bytes *bytes)
{
	struct tbuf_machine *m = &stress.world.m;

	bytes->data = stress.text;
	bytes->size = CONSTANTS - 1;
	values[0] = (uint64_t)(uintptr_t)stress.text;
	values[1] = values[2] = (uint64_t)(uintptr_t)bytes;
	values[3] = tbuf_address(TBUF_OBJECT_TEMPORARY, 0, 3);
	types[0] = TBUF_STRING;
	types[1] = TBUF_STRING_SIZED;
	types[2] = TBUF_BINARY;
	types[3] = TBUF_INT64;
	m->values = values;
	m->types = types;
	m->nargs = 4;
	m->binding = UINT64_C(0xfedcba9876543210);
	m->constants = stress.constants;
	m->constants_size = CONSTANTS;
	m->code = stress.code;
	m->length = WORDS;
}

/*
 * Makes new memory for the machine.  The text has a NUL in its last byte only,
 * which is not overwritten.
 */
static void
memory_lend(void)
{
	struct tbuf_machine *m = &stress.world.m;
	struct tbuf_buffer *buffers[] = { &m->scratch, &m->temporary, &m->key,
	    &m->record, &m->token };
	unsigned i;

	for (i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++) {
		free(buffers[i]->bytes);
		*buffers[i] = lend(buffers[i] == &m->temporary ? 160 : 36);
	}
	for (i = 0; i < WORLD_VARIABLES; i++) {
		free(stress.world.texts[i]);
		stress.world.texts[i] = lend(WORLD_TEXT).bytes;
	}
	stress.constants = lend(CONSTANTS).bytes;
	stress.text = lend(CONSTANTS).bytes;
	memset(stress.text, 'x', CONSTANTS - 1);
}

static void
run(uint64_t runs, uint64_t ends[3], uint64_t *words)
{
	struct tbuf_machine *m = &stress.world.m;
	enum tbuf_end end;
	uint64_t n;

	for (n = 0; n < runs; n++) {
		m->scratch.used = 0;
		m->fuel = TBUF_FUEL;
		stress.world.effects = 0;
		end = tbuf_machine_run(m);
		FUZZ_CHECK(end == TBUF_END_DONE || end == TBUF_END_FAULT ||
		    end == TBUF_END_STOPPED);
		FUZZ_CHECK(end != TBUF_END_FAULT || (m->fault.number > 0 &&
		    m->fault.number < TBUF_FAULTS && m->fault.at < WORDS));
		ends[end]++;
		*words += end == TBUF_END_FAULT ? m->fault.at : 0;
	}
}

int
main(int argc, char *argv[])
{
	uint64_t values[4], runs = RUNS, ends[3] = { 0 }, words = 0;
	struct tbuf_bytes bytes;
	uint8_t types[4];
	pthread_t thread;
	int c;

	stress.seed = (uint64_t)time(NULL) << 20 ^ (uint64_t)getpid();
	if (getenv("SEED") != NULL)
		stress.seed = strtoull(getenv("SEED"), NULL, 0);
	while ((c = getopt(argc, argv, "s:")) == 's')
		stress.seed = strtoull(optarg, NULL, 0);
	if (optind < argc)
		runs = strtoull(argv[optind], NULL, 0);
	printf("seed %" PRIu64 "\n", stress.seed);
	fflush(stdout);
	world_begin(&stress.world, 40);
	stress.world.patience = 20;
	memory_lend();
	prepare(values, types, &bytes);
	code_begin();
	if (pthread_create(&thread, NULL, overwriter, NULL) != 0)
		errx(1, "no thread");
	run(runs, ends, &words);
	tbuf_store(&stress.stop, true);
	pthread_join(thread, NULL);
	printf("%" PRIu64 " words overwritten, %" PRIu64 " done, %" PRIu64
	    " faults at word %" PRIu64 " on average, %" PRIu64 " stopped\n",
	    stress.overwritten, ends[TBUF_END_DONE], ends[TBUF_END_FAULT],
	    words / (ends[TBUF_END_FAULT] + 1), ends[TBUF_END_STOPPED]);
	return (0);
}
