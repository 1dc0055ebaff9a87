/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A target that notices each call of libtbuf's, and of preloaded providers',
 * to functions of other libraries: its words for these in the GOT are replaced
 * by functions that note the call first.  It prints the calls that fires and
 * all else make that must not make any, and exits with 1 if there are some.
 *
 *	foreign_calls_target MODULE
 */
#include <sys/mman.h>
#include <sys/wait.h>

#include <dlfcn.h>
#include <elf.h>
#include <err.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tbuf.h>

#define WORDS	1024		/* of the GOT */
#define FIRES	50

/* Each function notes that it was called, and jumps to the real one. */
extern const unsigned char functions[], functions_end[];
void *foreign_real[WORDS];
volatile unsigned char foreign_called[WORDS];
static const char *names[WORDS];
static unsigned nwords;
static int failures;

#if defined(__x86_64__)
__asm__(".text\n.globl functions, functions_end\n.balign 32\n"
    "functions:\n"
    ".set n, 0\n"
    ".rept 1024\n\t"
    ".balign 32\n\t"
    "movb $1, foreign_called+n(%rip)\n\t"
    "jmp *foreign_real+8*n(%rip)\n\t"
    ".set n, n+1\n"
    ".endr\n.balign 32\n"
    "functions_end:\n");
#elif defined(__aarch64__)
__asm__(".text\n.globl functions, functions_end\n.balign 32\n"
    "functions:\n"
    ".set n, 0\n"
    ".rept 1024\n\t"
    ".balign 32\n\t"
    "adrp x16, foreign_called+n\n\t"
    "add x16, x16, :lo12:foreign_called+n\n\t"
    "mov w17, #1\n\t"
    "strb w17, [x16]\n\t"
    "adrp x16, foreign_real+8*n\n\t"
    "add x16, x16, :lo12:foreign_real+8*n\n\t"
    "ldr x17, [x16]\n\t"
    "br x17\n\t"
    ".set n, n+1\n"
    ".endr\n.balign 32\n"
    "functions_end:\n");
#endif

/* -------------------------------------------------- the words of the GOT */

/* The loader may have made the word read-only. */
static void
unprotect(void *word)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	if (mprotect((void *)((uintptr_t)word & -page), page,
	    PROT_READ | PROT_WRITE) != 0)
		err(3, "mprotect");
}

/* Replaces the word of an undefined function that is not libtbuf's. */
static void
replace(uintptr_t base, const ElfW(Rela) *relocation, const ElfW(Sym) *symbols,
    const char *strings)
{
	const ElfW(Sym) *symbol = &symbols[ELF64_R_SYM(relocation->r_info)];
	const char *name = strings + symbol->st_name;
	void **word = (void **)(base + relocation->r_offset);

	if (symbol->st_shndx != SHN_UNDEF || *word == NULL ||
	    ELF64_ST_TYPE(symbol->st_info) != STT_FUNC ||
	    strncmp(name, "tbuf_", 5) == 0 || nwords == WORDS)
		return;
	unprotect(word);
	foreign_real[nwords] = *word;
	names[nwords] = name;
	*word = (void *)(uintptr_t)(functions +
	    nwords++ * ((size_t)(functions_end - functions) / WORDS));
}

/* Replaces those of one table of relocations. */
static void
replace_all(uintptr_t base, const ElfW(Dyn) *dynamic, ElfW(Sxword) table,
    ElfW(Sxword) table_size)
{
	const ElfW(Dyn) *at[DT_NUM] = { NULL };
	const ElfW(Rela) *relocations;
	size_t i;

	for (; dynamic->d_tag != DT_NULL; dynamic++)
		if (dynamic->d_tag < DT_NUM)
			at[dynamic->d_tag] = dynamic;
	if (at[table] == NULL || at[table_size] == NULL)
		return;
	relocations = (const ElfW(Rela) *)at[table]->d_un.d_ptr;
	for (i = 0; i < at[table_size]->d_un.d_val / sizeof(*relocations); i++)
		replace(base, &relocations[i],
		    (const ElfW(Sym) *)at[DT_SYMTAB]->d_un.d_ptr,
		    (const char *)at[DT_STRTAB]->d_un.d_ptr);
}

static int
visit(struct dl_phdr_info *info, size_t size, void *cookie)
{
	const ElfW(Dyn) *dynamic;
	int i;

	(void)size;
	(void)cookie;
	if (strstr(info->dlpi_name, "libtbuf") == NULL)
		return (0);
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC) {
			dynamic = (const ElfW(Dyn) *)(info->dlpi_addr +
			    info->dlpi_phdr[i].p_vaddr);
			replace_all(info->dlpi_addr, dynamic, DT_RELA,
			    DT_RELASZ);
			replace_all(info->dlpi_addr, dynamic, DT_JMPREL,
			    DT_PLTRELSZ);
		}
	return (0);
}

/* Prints the calls since the last time; `but' may have been called. */
static void
expect_none(const char *where, const char *but)
{
	unsigned i;

	for (i = 0; i < nwords; i++)
		if (foreign_called[i] && (but == NULL ||
		    strcmp(names[i], but) != 0)) {
			printf("%s: %s\n", where, names[i]);
			failures++;
		}
	memset((void *)(uintptr_t)foreign_called, 0, sizeof(foreign_called));
	fflush(stdout);
}

/* ---------------------------------------------------------------- fires */

static void
fire(const char *text)
{
	static const char bytes[300];
	const char *null = NULL;
	double half = 0.5;
	uint64_t number;

	for (number = 0; number < FIRES; number++) {
		errno = 77;
		TBUF_PROBE(foreign, none);
		TBUF_PROBE(foreign, words, number, text, &number);
		TBUF_PROBE(foreign, texts, text, "another text", null);
		TBUF_PROBE(foreign, mixed, 'c', half, number, text,
		    TBUF_BYTES(bytes, sizeof(bytes)));
		if (TBUF_ENABLED(foreign, all))
			TBUF_PROBE(foreign, all, number, text);
		if (errno != 77) {
			printf("%s: errno %d\n", text, errno);
			failures++;
		}
	}
}

static void
unit(void)
{
	uint64_t id = tbuf_unit_begin("request", 0);

	fire("unit");
	tbuf_unit_leave(id);
	tbuf_unit_enter(id);
	fire("unit again");
	tbuf_unit_end(id, 1);
	id = tbuf_unit_begin("request", 0);
	tbuf_unit_abandon(id, 1);
}

static void *
thread(void *cookie)
{
	fire(cookie);
	unit();
	return (NULL);
}

static void
register_probe(void)
{
	static const enum tbuf_type types[] = { TBUF_UINT64, TBUF_STRING };
	static struct tbuf_site site;
	const uint64_t values[] = { 1, (uintptr_t)"registered" };

	(void)tbuf_probe_register(&site, "foreign", "m", "f", "registered", 2,
	    types, NULL);
	tbuf_probe_fire(&site, values);
	tbuf_probe_unregister(&site);
}

/* A child reports by its exit status. */
static void
wait_for(pid_t pid)
{
	int status = -1;

	if (pid == -1 || waitpid(pid, &status, 0) != pid || status != 0) {
		printf("child: status %#x\n", status);
		failures++;
	}
}

static void
child(const char *where)
{
	pid_t pid = fork();

	if (pid != 0) {
		wait_for(pid);
		return;
	}
	fire(where);
	unit();
	register_probe();
	expect_none(where, NULL);
	_exit(failures != 0);
}

static void
handler(int signal)
{
	(void)signal;
	fire("handler");
	register_probe();
	child("child in a handler");
	fire("handler after its child");
}

static void
vfork_child(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		TBUF_PROBE(foreign, none);
		_exit(0);
	}
	wait_for(pid);
}

int
main(int argc, char **argv)
{
	pthread_t id;
	void *module;

	signal(SIGUSR1, handler);
	dl_iterate_phdr(visit, NULL);
	if (argc < 2 || nwords == 0)
		errx(3, "no argument, or no words");
	memset((void *)(uintptr_t)foreign_called, 0, sizeof(foreign_called));
	fire("main");
	expect_none("main", NULL);
	unit();
	expect_none("unit", NULL);
	register_probe();
	expect_none("registration", NULL);
	pthread_create(&id, NULL, thread, (void *)(uintptr_t)"thread");
	pthread_join(id, NULL);
	expect_none("thread and its end", NULL);
	raise(SIGUSR1);
	expect_none("handler", NULL);
	child("child");
	vfork_child();
	fire("after children");
	expect_none("children", NULL);
	/* The name of the module is the loader's. */
	module = dlopen(argv[1], RTLD_NOW);
	if (module == NULL)
		errx(3, "%s", dlerror());
	((void (*)(uint64_t))dlsym(module, "module_fire"))(FIRES);
	expect_none("dlopen", "dl_iterate_phdr");
	dlclose(module);
	expect_none("dlclose", NULL);
	printf("%u words, %d failures\n", nwords, failures);
	fflush(stdout);
	_exit(failures != 0);
}
