/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Preloading of providers by tbufctl: when it is done, which programs are
 * refused, and the messages.
 */
#include <sys/stat.h>

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <check.h>
#undef fail

#include "base/messages.h"
#include "lib/check_main.h"
#include "lib/scratch.h"
#include "options/command_line.h"
#include "run/preload.h"

static char dir[64];
static char said[512];

static void
setup(void)
{
	char provider[128];

	scratch_directory(dir, sizeof(dir));
	snprintf(provider, sizeof(provider), "%s/libtbuf-libc.so", dir);
	close(open(provider, O_CREAT | O_WRONLY, 0600));
	setenv("TBUF_PROVIDERS", dir, 1);
	unsetenv("LD_PRELOAD");
}

static void
teardown(void)
{
	scratch_remove(dir);
}

/* Calls preload_prepare(), and stores its messages in said[]. */
static int
prepare(const char *name, char **setting)
{
	int old = dup(STDERR_FILENO), fds[2], status;
	ssize_t n;

	ck_assert_int_eq(pipe(fds), 0);
	dup2(fds[1], STDERR_FILENO);
	close(fds[1]);
	status = preload_prepare(name, PRELOAD_LIBC, setting);
	dup2(old, STDERR_FILENO);
	close(old);
	n = read(fds[0], said, sizeof(said) - 1);
	close(fds[0]);
	said[n] = '\0';
	return (status);
}

/* Makes a file in our directory; its path is valid until the next call. */
static const char *
make_file(const char *name, mode_t mode, const void *data, size_t size)
{
	static char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_CREAT | O_WRONLY, 0700);
	ck_assert_int_eq(write(fd, data, size), (ssize_t)size);
	close(fd);
	ck_assert_int_eq(chmod(path, mode), 0);
	return (path);
}

/* The parts of a program that are read, to find its dynamic linker. */
struct image {
	Elf64_Ehdr header;
	Elf64_Phdr phdr;
	char linker[64];
};

/* Finds the dynamic linker of this program. */
static int
find_linker(struct dl_phdr_info *info, size_t size, void *linker)
{
	int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_INTERP)
			strcpy(linker, (const char *)(info->dlpi_addr +
			    info->dlpi_phdr[i].p_vaddr));
	/* The program itself comes first. */
	return (1);
}

static struct image
make_image(uint32_t type)
{
	struct image image;
	int fd = open("/proc/self/exe", O_RDONLY);

	memset(&image, 0, sizeof(image));
	ck_assert_int_eq(read(fd, &image.header, sizeof(image.header)),
	    sizeof(image.header));
	close(fd);
	image.header.e_phoff = offsetof(struct image, phdr);
	image.header.e_phnum = 1;
	image.phdr.p_type = type;
	image.phdr.p_offset = offsetof(struct image, linker);
	image.phdr.p_filesz = sizeof(image.linker);
	dl_iterate_phdr(find_linker, image.linker);
	return (image);
}

static void
refused(const char *path, const char *reason)
{
	char expected[512], *setting;

	ck_assert_int_eq(prepare(path, &setting), EXIT_FAILED);
	snprintf(expected, sizeof(expected),
	    "tbufctl: failed to preload the libc provider into %s: %s\n",
	    path, reason);
	ck_assert_str_eq(said, expected);
}

static void
accepted(const char *path)
{
	char expected[512], *setting;

	ck_assert_int_eq(prepare(path, &setting), 0);
	ck_assert_str_eq(said, "");
	snprintf(expected, sizeof(expected), "LD_PRELOAD=%s/libtbuf-libc.so",
	    dir);
	ck_assert_str_eq(setting, expected);
	free(setting);
}

START_TEST(a_provider_field_that_matches_a_provider_asks_for_it)
{
	static const struct {
		char *full;
		unsigned wanted;
	} cases[] = {
		{ "libc::malloc:entry", PRELOAD_LIBC },
		{ "libc:::", PRELOAD_LIBC },
		{ "lib*:::", PRELOAD_LIBC },
		{ "?ibc:::", PRELOAD_LIBC },
		{ "[kl]ibc:::", PRELOAD_LIBC },
		{ "[a,l]ibc:::", PRELOAD_LIBC },
		{ "[],l]ibc:::", PRELOAD_LIBC },
		{ "[\\],l]ibc:::", PRELOAD_LIBC },
		{ "kv:::x,libc:::y", PRELOAD_LIBC },
		{ "kv:::[:,]x,libc:::y", PRELOAD_LIBC },
		{ "syscall::open*:entry", PRELOAD_SYSCALL },
		{ "sys*:::,kv:::", PRELOAD_SYSCALL },
		{ "[ls]*:::", PRELOAD_LIBC | PRELOAD_SYSCALL },
		{ "libc:::,syscall:::", PRELOAD_LIBC | PRELOAD_SYSCALL },
		{ "syscalls:::", 0 },
		{ ":::entry", 0 },
		{ "*:::entry", 0 },
		{ "entry", 0 },
		{ "libc", 0 },
		{ "libc::malloc", 0 },
		{ "kv:::libc", 0 },
		{ "libcx:::", 0 },
		{ "kv:libc:libc:libc", 0 },
		{ "kv:::x\\,libc:::y", 0 },
		{ "kv:::[,libc:::]", 0 },
	};
	struct description description = { .full = cases[_i].full };
	struct options o = { .program = { .all = &description, .count = 1 } };

	ck_assert_uint_lt(_i, sizeof(cases) / sizeof(cases[0]));
	ck_assert_msg(preload_providers(&o) == cases[_i].wanted,
	    "%s: expected %#x", cases[_i].full, cases[_i].wanted);
}
END_TEST

START_TEST(a_program_with_such_a_probe_asks_for_it)
{
	static const struct {
		int flag;
		char *text;
		unsigned wanted;
	} cases[] = {
		{ 'n', "libc::malloc:entry /size > 9/ { trace(size); }",
		    PRELOAD_LIBC },
		{ 'n', "BEGIN { x = 1; }\nlibc:::,kv::: { x++; }",
		    PRELOAD_LIBC },
		{ 'n', "BEGIN{trace(1);}libc:::entry{exit(0)}", PRELOAD_LIBC },
		{ 's', "tick-1s\n{\n}\n\nkv:::,\n\tlibc::read:\n{\n}\n",
		    PRELOAD_LIBC },
		{ 'P', "libc { trace(1); }", PRELOAD_LIBC },
		{ 'P', "syscall{@a[probefunc] = count()}", PRELOAD_SYSCALL },
		{ 'n', "syscall:::{@ = count()} libc:::{@ = count()}",
		    PRELOAD_LIBC | PRELOAD_SYSCALL },
		{ 'P', "kv { x = libc; }", 0 },
		{ 'n', "malloc:entry { trace(x ? libc : 1); }", 0 },
		{ 'n', "BEGIN { printf(\"libc\"); }", 0 },
	};
	struct description description = {
		.text = cases[_i].text, .script = cases[_i].text,
		.flag = cases[_i].flag, .is_program = true
	};
	struct options o = { .program = { .all = &description, .count = 1 } };

	ck_assert_uint_lt(_i, sizeof(cases) / sizeof(cases[0]));
	ck_assert_msg(preload_providers(&o) == cases[_i].wanted,
	    "%s: expected %#x", cases[_i].text, cases[_i].wanted);
}
END_TEST

START_TEST(wanted_functions_have_their_macro_arguments)
{
	static const struct {
		char *text, *setting;
	} cases[] = {
		{ "pid$target:a.out:$1:entry { trace(1); }",
		    "pid$target:a.out:leaf:entry" },
		{ "pid$target:$2:*$1:entry, pid$target::x$1:return { }",
		    "pid$target:libz:*leaf:entry,pid$target::xleaf:return" },
		{ "pid$target:$3:$$1:entry { }", "pid$target:$3:$$1:entry" },
		{ "pid$target:a.out:a$LT$b$:entry { }",
		    "pid$target:a.out:a$LT$b$:entry" },
		{ "pid$target:a.out:$99999999999999999999:entry { }",
		    "pid$target:a.out:$99999999999999999999:entry" },
		{ "pid$target:a.out:a$LT$1:x, pid$target::_$LT$17h:entry { }",
		    "pid$target:a.out:a$LT$1:x,pid$target::_$LT$17h:entry" },
		{ "pid$target:a.out:+1a2b0:entry { }",
		    "pid$target:a.out:+1a2b0:entry" },
	};
	const char *words[] = { "script", "leaf", "libz" };
	struct description description = {
		.text = cases[_i].text, .flag = 'n', .is_program = true
	};
	struct options o = {
		.program = { .all = &description, .count = 1 },
		.words = words, .nwords = 3
	};
	char *setting = preload_pid_setting(&o);

	ck_assert_uint_lt(_i, sizeof(cases) / sizeof(cases[0]));
	ck_assert_str_eq(setting + strlen("TBUF_PID="), cases[_i].setting);
	free(setting);
}
END_TEST

/* Such a provider may come from USDT notes of the command. */
START_TEST(any_provider_can_be_asked_for)
{
	static const struct {
		char *full;
		bool wanted;
	} cases[] = {
		{ "shop:::", true }, { "sh*:::sale", true },
		{ "*:::", false }, { ":::", false }, { "::shop:", false },
		{ "shopx:::", false }, { "libc:::", false }
	};
	struct description description = { .full = cases[_i].full };
	struct program program = { .all = &description, .count = 1 };

	ck_assert(preload_wanted(&program, "shop") == cases[_i].wanted);
}
END_TEST

START_TEST(an_id_does_not_ask_for_it)
{
	struct description description = { .id = 7 };
	struct program program = { .all = &description, .count = 1 };

	ck_assert(!preload_wanted(&program, "libc"));
}
END_TEST

START_TEST(a_dynamic_program_is_accepted)
{
	struct image image = make_image(PT_INTERP);

	accepted(make_file("dynamic", 0755, &image, sizeof(image)));
	accepted("/bin/sh");
	accepted("sh");
}
END_TEST

START_TEST(what_cannot_be_found_is_left_to_exec)
{
	accepted("/nowhere/at/all");
	accepted("no-such-command");
	accepted("");
	accepted("/");
	accepted(make_file("text", 0755, "hello", 5));
	accepted(make_file("empty", 0755, "", 0));
}
END_TEST

START_TEST(a_static_program_is_refused)
{
	struct image image = make_image(PT_LOAD);

	refused(make_file("static", 0755, &image, sizeof(image)),
	    "it is statically linked");
}
END_TEST

START_TEST(a_setuid_program_is_refused)
{
	struct image image = make_image(PT_INTERP);

	refused(make_file("setuid", 04755, &image, sizeof(image)),
	    "it is setuid");
	refused(make_file("setgid", 02755, &image, sizeof(image)),
	    "it is setgid");
	accepted(make_file("locking", 02705, &image, sizeof(image)));
}
END_TEST

START_TEST(a_program_for_another_machine_is_refused)
{
	struct image image = make_image(PT_INTERP);

	image.header.e_machine ^= 1;
	refused(make_file("machine", 0755, &image, sizeof(image)),
	    "it is for another machine");
	image = make_image(PT_INTERP);
	image.header.e_ident[EI_CLASS] = ELFCLASS32;
	refused(make_file("class", 0755, &image, sizeof(image)),
	    "it is for another machine");
}
END_TEST

START_TEST(a_program_for_another_c_library_is_refused)
{
	struct image image = make_image(PT_INTERP);

	strcpy(image.linker, "/lib/ld-musl-x86_64.so.1");
	refused(make_file("musl", 0755, &image, sizeof(image)),
	    "it is for another C library");
	/* The linker may be in another folder. */
	strcpy(image.linker, strrchr(make_image(PT_INTERP).linker, '/') + 1);
	accepted(make_file("elsewhere", 0755, &image, sizeof(image)));
	/* A program that cannot be read is left to exec. */
	memset(image.linker, 'x', sizeof(image.linker));
	accepted(make_file("endless", 0755, &image, sizeof(image)));
	image.header.e_phnum = 2;
	image.phdr.p_type = PT_LOAD;
	accepted(make_file("cut", 0755, &image,
	    offsetof(struct image, linker)));
}
END_TEST

START_TEST(of_a_script_the_interpreter_counts)
{
	struct image image = make_image(PT_LOAD);
	char program[128], text[256], expected[512], *setting;
	const char *script;

	strcpy(program, make_file("static", 0755, &image, sizeof(image)));
	snprintf(text, sizeof(text), "#! %s -x\n", program);
	script = make_file("script", 0755, text, strlen(text));
	ck_assert_int_eq(prepare(script, &setting), EXIT_FAILED);
	snprintf(expected, sizeof(expected), "tbufctl: failed to preload the "
	    "libc provider into %s: it is statically linked\n", program);
	ck_assert_str_eq(said, expected);
	accepted(make_file("shell", 04755, "#!/bin/sh\n", 10));
	snprintf(text, sizeof(text), "#!%s/loop", dir);
	accepted(make_file("loop", 0755, text, strlen(text)));
	accepted(make_file("nothing", 0755, "#!\n", 3));
}
END_TEST

START_TEST(the_command_is_searched_for_in_the_path)
{
	struct image image = make_image(PT_LOAD);
	char path[256], expected[512], *setting;

	make_file("static-one", 0755, &image, sizeof(image));
	snprintf(path, sizeof(path), "/nowhere:%s:/bin", dir);
	setenv("PATH", path, 1);
	ck_assert_int_eq(prepare("static-one", &setting), EXIT_FAILED);
	snprintf(expected, sizeof(expected), "tbufctl: failed to preload the "
	    "libc provider into %s/static-one: it is statically linked\n",
	    dir);
	ck_assert_str_eq(said, expected);
}
END_TEST

START_TEST(what_is_preloaded_already_is_kept)
{
	char expected[256], *setting;

	setenv("LD_PRELOAD", "libone.so libtwo.so", 1);
	ck_assert_int_eq(prepare("sh", &setting), 0);
	snprintf(expected, sizeof(expected),
	    "LD_PRELOAD=%s/libtbuf-libc.so:libone.so libtwo.so", dir);
	ck_assert_str_eq(setting, expected);
	free(setting);
	setenv("LD_PRELOAD", "", 1);
	accepted("sh");
}
END_TEST

START_TEST(a_provider_that_is_not_there_is_told)
{
	char *setting;

	setenv("TBUF_PROVIDERS", "/nowhere", 1);
	ck_assert_int_eq(prepare("sh", &setting), EXIT_FAILED);
	ck_assert_str_eq(said, "tbufctl: failed to find the libc provider: "
	    "/nowhere/libtbuf-libc.so: No such file or directory "
	    "(set TBUF_PROVIDERS to its directory)\n");
}
END_TEST

START_TEST(children_find_it_from_another_directory)
{
	ck_assert_int_eq(chdir(dir), 0);
	setenv("TBUF_PROVIDERS", ".", 1);
	accepted("sh");
}
END_TEST

START_TEST(a_path_that_the_linker_would_split_is_told)
{
	char path[128], expected[512], *setting;

	snprintf(path, sizeof(path), "%s/a b", dir);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	make_file("a b/libtbuf-libc.so", 0600, "", 0);
	setenv("TBUF_PROVIDERS", path, 1);
	ck_assert_int_eq(prepare("sh", &setting), EXIT_FAILED);
	snprintf(expected, sizeof(expected), "tbufctl: failed to find the "
	    "libc provider: %s/libtbuf-libc.so: the path contains a blank or a "
	    "colon\n", path);
	ck_assert_str_eq(said, expected);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("preload");
	TCase *tcase = tcase_create("preload");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase,
	    a_provider_field_that_matches_a_provider_asks_for_it, 0, 25);
	tcase_add_loop_test(tcase, a_program_with_such_a_probe_asks_for_it, 0,
	    10);
	tcase_add_loop_test(tcase, wanted_functions_have_their_macro_arguments,
	    0, 7);
	tcase_add_loop_test(tcase, any_provider_can_be_asked_for, 0, 7);
	tcase_add_test(tcase, an_id_does_not_ask_for_it);
	tcase_add_test(tcase, a_dynamic_program_is_accepted);
	tcase_add_test(tcase, what_cannot_be_found_is_left_to_exec);
	tcase_add_test(tcase, a_static_program_is_refused);
	tcase_add_test(tcase, a_setuid_program_is_refused);
	tcase_add_test(tcase, a_program_for_another_machine_is_refused);
	tcase_add_test(tcase, a_program_for_another_c_library_is_refused);
	tcase_add_test(tcase, of_a_script_the_interpreter_counts);
	tcase_add_test(tcase, the_command_is_searched_for_in_the_path);
	tcase_add_test(tcase, what_is_preloaded_already_is_kept);
	tcase_add_test(tcase, a_provider_that_is_not_there_is_told);
	tcase_add_test(tcase, children_find_it_from_another_directory);
	tcase_add_test(tcase, a_path_that_the_linker_would_split_is_told);
	suite_add_tcase(suite, tcase);
	return (run_suite(suite));
}
