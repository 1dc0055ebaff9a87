/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The helper process sends a line for each name: whether it is an alias, and
 * whether the function returns, as digits; the name; why its entry, and why its
 * return is not traced; all ended by tabs.  No name has a tab (functions.c).
 * Lines of instructions have a 2 first, and an offset as the name.
 */
#include <fcntl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/helper_process.h"
#include "base/messages.h"
#include "pid_functions.h"

#ifdef HAVE_PID
#include "pid/image.h"
#include "pid/name.h"
#include "pid/plan.h"

#define FIELDS		4
#define ANSWER_MAX	((size_t)1 << 30)
#define LINE_BYTES	(32u << 10)

/* ------------------------------------------------------------ the helper */

static void
send_wish(FILE *out, const struct pid_plan *plan, const struct pid_wish *wish)
{
	const struct pid_functions *f = plan->functions;
	uintptr_t start = f->map.codes[wish->function].start;
	const struct pid_alias *alias = pid_alias_first(f, start), *end;
	char why[PID_WHY] = "", offset[PID_OFFSET], name[PID_SCOPED];
	struct pid_alias unnamed = { start, offset };
	unsigned other = 0;

	if (wish->exit_problem != NULL && !pid_plan_returns(plan, wish))
		pid_plan_why(wish, why);
	pid_offset(f, start, offset);
	end = f->aliases + f->naliases;
	if (alias == NULL) {
		alias = &unnamed;
		end = alias + 1;
	}
	for (; alias < end && alias->address == start; alias++, other = 1)
		fprintf(out, "%u%u\t%s\t%s\t%s\t\n", other,
		    wish->nexits > 0 || wish->exit_problem != NULL,
		    pid_name_fit(alias->name, name),
		    wish->entry_problem == NULL ? "" : wish->entry_problem,
		    why);
}

/* Lines of the wish's instructions follow those of its names. */
static void
send_spots(FILE *out, const struct pid_plan *plan,
    const struct pid_wish *wish)
{
	const struct pid_spot *spot = plan->spots;

	for (; spot < plan->spots + plan->nspots; spot++)
		if (spot->function == wish->function)
			fprintf(out, "20\t%s\t%s\t\t\n", spot->name,
			    spot->problem == NULL ? "" : spot->problem);
}

/* The wanted offsets of a function. */
struct wanted {
	struct pid_plan *plan;
	size_t function;
	pid_offsets *offsets;
	void *arg;
};

/* The process ends before the name could be freed. */
static void
add_spot(void *wanted, const char *name)
{
	struct wanted *w = wanted;

	pid_plan_add_spot(w->plan, w->function, strtoull(name, NULL, 16),
	    memory_string(name));
}

static void
add_spots(struct wanted *w, const struct pid_functions *f)
{
	uintptr_t start = f->map.codes[w->function].start;
	const struct pid_alias *alias = pid_alias_first(f, start);
	char offset[PID_OFFSET], name[PID_SCOPED];

	if (alias == NULL) {
		pid_offset(f, start, offset);
		w->offsets(w->arg, offset, add_spot, w);
		return;
	}
	for (; alias < f->aliases + f->naliases && alias->address == start;
	    alias++)
		w->offsets(w->arg, pid_name_fit(alias->name, name), add_spot,
		    w);
}

static const char *
send_plan(FILE *out, struct pid_functions *f, unsigned options,
    pid_offsets *offsets, void *arg)
{
	struct pid_plan plan;
	struct wanted wanted = { &plan, 0, offsets, arg };
	const char *problem = pid_plan_begin(&plan, f);
	size_t i;

	plan.is_partial = (options & PID_PARTIAL) != 0;
	plan.is_once = (options & PID_LOOPS) != 0;
	for (i = 0; problem == NULL && i < f->map.ncodes; i++)
		if (f->map.codes[i].owner == i) {
			pid_plan_add(&plan, i, true, true);
			wanted.function = i;
			add_spots(&wanted, f);
		}
	if (problem == NULL)
		problem = pid_plan_make(&plan);
	for (i = 0; problem == NULL && i < plan.nwishes; i++) {
		send_wish(out, &plan, &plan.wishes[i]);
		send_spots(out, &plan, &plan.wishes[i]);
	}
	pid_plan_free(&plan);
	return (problem);
}

/* Confines the helper process.  Returns the file that it answers with. */
static FILE *
confine(int fd, int socket)
{
	FILE *out = fdopen(socket, "w");

	(void)patch_decoder_load();
	reader_become_owner(fd);
	reader_confine(READER_SECONDS);
	(void)alarm(READER_SECONDS);
	if (out == NULL)
		_exit(1);
	return (out);
}

/* Finds the functions, which stay as long as the process. */
static const char *
find_functions(struct pid_functions *f, int fd)
{
	static struct pid_image image;
	const char *problem = pid_image_read(&image, fd);

	return (problem != NULL ? problem :
	    pid_functions_find(f, &image.memory, fd, NULL, NULL));
}

/* An answer ends with a line that has the problem with the file, or none. */
static __attribute__((noreturn)) void
reader(int fd, int socket, unsigned options, pid_offsets *offsets, void *arg)
{
	FILE *out = confine(fd, socket);
	struct pid_functions f = { .naliases = 0 };
	const char *problem = find_functions(&f, fd);

	if (problem == NULL)
		problem = send_plan(out, &f, options, offsets, arg);
	fprintf(out, "\t%s\n", problem == NULL ? "" : problem);
	_exit(fflush(out) == 0 ? 0 : 1);
}

/* Sends a line for each symbol: its address, its name, and its scoped name. */
static __attribute__((noreturn)) void
names_reader(int fd, int socket)
{
	FILE *out = confine(fd, socket);
	char fit[PID_SCOPED], scoped[PID_SCOPED];
	struct pid_functions f = { .naliases = 0 };
	size_t i, n = find_functions(&f, fd) == NULL ? f.naliases : 0;

	for (i = 0; i < n; i++) {
		if (!pid_scoped(f.aliases[i].name, scoped))
			*scoped = '\0';
		fprintf(out, "%jx\t%s\t%s\n", (uintmax_t)f.aliases[i].address,
		    pid_name_fit(f.aliases[i].name, fit), scoped);
	}
	_exit(fflush(out) == 0 ? 0 : 1);
}

/* ------------------------------------------------------------ its answer */

struct answer {
	char *problem;		/* of the last line; NULL: there was none */
	void (*visit)(void *, const struct pid_function *);
	void *arg;
};

/* A line that is not complete is of a helper process that has died. */
static void
take_line(void *answer, char *line)
{
	struct answer *a = answer;
	struct pid_function f;
	char *fields[FIELDS];
	unsigned i;

	if (*line == '\t') {
		line[strcspn(line, "\n")] = '\0';
		free(a->problem);
		a->problem = memory_string(line + 1);
		return;
	}
	for (i = 0; i < FIELDS; i++)
		if ((fields[i] = strsep(&line, "\t")) == NULL)
			return;
	if (line == NULL || strlen(fields[0]) != 2)
		return;
	f = (struct pid_function){ .name = fields[1],
	    .is_alias = fields[0][0] == '1', .returns = fields[0][1] == '1',
	    .offset = fields[0][0] == '2' ? fields[1] : NULL,
	    .entry_problem = *fields[2] == '\0' ? NULL : fields[2],
	    .return_problem = *fields[3] == '\0' ? NULL : fields[3] };
	a->visit(a->arg, &f);
}

/* A line has a name (functions.c) and reasons; a longer one is no answer. */
static void
listen(int socket, void (*take)(void *, char *line), void *arg)
{
	FILE *in = fdopen(socket, "r");
	static char line[LINE_BYTES];
	size_t all = 0, n = 1;

	if (in == NULL) {
		(void)close(socket);
		return;
	}
	while (all < ANSWER_MAX && n > 0 &&
	    fgets(line, sizeof(line), in) != NULL) {
		n = strlen(line);
		all += n;
		if (n > 0 && line[n - 1] == '\n')
			take(arg, line);
		else
			n = 0;
	}
	fclose(in);
}

/* The reason is valid until the next call. */
static const char *
ask(int fd, struct answer *a, unsigned options, pid_offsets *offsets)
{
	static char why[PID_WHY];
	int socket, status;
	pid_t pid;

	if ((pid = reader_start(&socket)) == 0)
		reader(fd, socket, options, offsets, a->arg);
	if (pid == -1)
		return ("cannot create the helper process");
	listen(socket, take_line, a);
	status = reader_wait(pid);
	if (a->problem == NULL)
		return (reader_why(status));
	(void)strlcpy(why, a->problem, sizeof(why));
	return (*why == '\0' ? NULL : why);
}

const char *
pid_functions_visit(const char *path, unsigned options, pid_offsets *offsets,
    void (*visit)(void *, const struct pid_function *), void *arg)
{
	struct answer answer = { .visit = visit, .arg = arg };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const char *problem;

	if (fd == -1)
		return (strerror(errno));
	problem = ask(fd, &answer, options, offsets);
	free(answer.problem);
	(void)close(fd);
	return (problem);
}

struct naming {
	void (*visit)(void *, uint64_t, const char *, const char *);
	void *arg;
};

static void
take_name(void *naming, char *line)
{
	const struct naming *n = naming;
	const char *address = strsep(&line, "\t"), *name, *scoped;

	name = strsep(&line, "\t");
	scoped = name == NULL ? NULL : strsep(&line, "\n");
	if (scoped != NULL && line != NULL)
		n->visit(n->arg, strtoull(address, NULL, 16), name, scoped);
}

void
pid_names_visit(int fd, void (*visit)(void *, uint64_t, const char *,
    const char *), void *arg)
{
	struct naming naming = { visit, arg };
	int socket;
	pid_t pid;

	if ((pid = reader_start(&socket)) == 0)
		names_reader(fd, socket);
	if (pid == -1)
		return;
	listen(socket, take_name, &naming);
	(void)reader_wait(pid);
}

#else

void
pid_names_visit(int fd, void (*visit)(void *, uint64_t, const char *,
    const char *), void *arg)
{
	(void)fd;
	(void)visit;
	(void)arg;
}

const char *
pid_functions_visit(const char *path, unsigned options, pid_offsets *offsets,
    void (*visit)(void *, const struct pid_function *), void *arg)
{
	(void)path;
	(void)options;
	(void)offsets;
	(void)visit;
	(void)arg;
	return ("the pid provider was not built");
}

#endif
