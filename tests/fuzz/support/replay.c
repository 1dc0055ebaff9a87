/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs inputs through a fuzz target that is built without libFuzzer.
 *
 *	TARGET CORPUS ...	run every input of these corpora
 *	TARGET -f FILE ...	run files, such as those that libFuzzer found
 *	TARGET -u CORPUS DIR	write each input to a file of DIR
 *	TARGET -p FILE ...	print files as lines of a corpus
 *
 * A corpus is a text: one input a line, in hexadecimal; # begins a comment.
 */
#include <sys/stat.h>

#include <err.h>
#include <signal.h>
#include <unistd.h>

#include "fuzz.h"

#define INPUT_MAX	65536
/* An input that takes longer counts as one that hangs. */
#define HANG_SECONDS	120

static const char *file;
static unsigned line_number;
static uint8_t input[INPUT_MAX];

static void
hang(int number)
{
	(void)number;
	fprintf(stderr, "%s:%u: does not end\n", file, line_number);
	abort();
}

/* Runs an input from memory of exactly its size, to find a read beyond it. */
static void
run(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + (size == 0));

	if (copy == NULL)
		err(1, NULL);
	memcpy(copy, data, size);
	alarm(HANG_SECONDS);
	LLVMFuzzerTestOneInput(copy, size);
	alarm(0);
	free(copy);
}

static int
digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *p = strchr(digits, c);

	return (c == '\0' || p == NULL ? -1 : (int)(p - digits));
}

/* Decodes a line of a corpus.  Returns false for an empty line or a comment. */
static bool
decode(const char *line, size_t *size)
{
	if (*line == '#' || *line == '\n')
		return (false);
	for (*size = 0; digit(*line) >= 0 && digit(line[1]) >= 0; line += 2) {
		if (*size == sizeof(input))
			errx(1, "%s:%u: too long", file, line_number);
		input[(*size)++] = (uint8_t)(digit(*line) << 4 |
		    digit(line[1]));
	}
	/* A single dash is the empty input. */
	if (*size == 0 && *line == '-')
		line++;
	if (*line != '\n')
		errx(1, "%s:%u: not hexadecimal", file, line_number);
	return (true);
}

static void
store(const char *directory, unsigned n, size_t size)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%06u", directory, n);
	if ((f = fopen(path, "we")) == NULL ||
	    fwrite(input, 1, size, f) != size || fclose(f) != 0)
		err(1, "%s", path);
}

/* Runs every input of a corpus, or writes it to a directory. */
static unsigned
each(const char *corpus, const char *directory)
{
	unsigned n = 0;
	char *line = NULL;
	size_t room = 0, size;
	FILE *f;

	file = corpus;
	line_number = 0;
	if ((f = fopen(corpus, "re")) == NULL)
		err(1, "%s", corpus);
	while (getline(&line, &room, f) > 0) {
		line_number++;
		if (!decode(line, &size))
			continue;
		if (directory != NULL)
			store(directory, n, size);
		else
			run(input, size);
		n++;
	}
	free(line);
	fclose(f);
	return (n);
}

static size_t
read_file(const char *path)
{
	size_t size;
	FILE *f;

	file = path;
	if ((f = fopen(path, "re")) == NULL)
		err(1, "%s", path);
	size = fread(input, 1, sizeof(input), f);
	fclose(f);
	return (size);
}

static void
print_file(const char *path)
{
	size_t size = read_file(path), i;

	for (i = 0; i < size; i++)
		printf("%02x", input[i]);
	printf(size == 0 ? "-\n" : "\n");
}

int
main(int argc, char **argv)
{
	unsigned n = 0;
	int i;

	if (argc == 4 && strcmp(argv[1], "-u") == 0) {
		each(argv[2], argv[3]);
		return (0);
	}
	if (argc > 1 && strcmp(argv[1], "-p") == 0) {
		for (i = 2; i < argc; i++)
			print_file(argv[i]);
		return (0);
	}
	signal(SIGALRM, hang);
	LLVMFuzzerInitialize(&argc, &argv);
	if (argc > 1 && strcmp(argv[1], "-f") == 0)
		for (i = 2; i < argc; i++, n++)
			run(input, read_file(argv[i]));
	else
		for (i = 1; i < argc; i++)
			n += each(argv[i], NULL);
	printf("%u inputs\n", n);
	return (0);
}
