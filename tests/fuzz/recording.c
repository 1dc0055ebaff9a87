/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Recordings that are read from a directory or from a pipe, with arbitrary
 * contents: the first byte is options, the rest is patches to good ones, of
 * eight bytes each: a file or packet, a kind of change, a place (2 bytes, among
 * the bytes that are not zeros) and a value (4 bytes).
 */
#include <sys/mman.h>
#include <sys/param.h>
#include <sys/stat.h>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "record/chunks.h"
#include "record/read_recording.h"
#include "record/receive.h"
#include "support/drain.h"
#include "support/image.h"

#define BLOCK		UINT64_C(4096)
#define PARTS_MOST	64
#define GRAIN		16u	/* bytes that are zeros, or not */
#define PIPE_ROOM	(UINT64_C(4) << 20)

enum {
	OPTION_PIPE = 1,
	OPTION_TEMPORAL = 2,
	OPTION_SUMS = 4		/* packets get the right check sums again */
};

enum {
	CHANGE_BYTE,
	CHANGE_WORD,		/* 4 bytes */
	CHANGE_LONG,		/* 8 bytes, with the sign */
	CHANGE_ADD,		/* to 8 bytes */
	CHANGE_LENGTH,
	CHANGE_DROP,		/* from here on, they are not of the content */
	CHANGE_TWICE,
	CHANGE_GARBAGE,		/* before it */
	CHANGES
};

/* A file of a recording, or a packet of a pipe. */
struct part {
	char name[32];
	char *good, *bytes;
	size_t size, length;	/* good, and now */
	uint32_t *grains;	/* offsets that are not zeros */
	unsigned ngrains;
	unsigned copies;
	uint32_t garbage;
};

static struct parts {
	struct part all[PARTS_MOST];
	unsigned count;
	uint64_t records;
} files, packets;

static char directory[96];
static char *pipe_bytes;
static size_t pipe_at, pipe_size;
static uint64_t counted;

/* ------------------------------------------------------------ good ones */

static void
add_part(struct parts *to, const char *name, const void *bytes, size_t size)
{
	struct part *p = &to->all[to->count++];
	static const char zeros[GRAIN];
	uint32_t at;

	FUZZ_CHECK(to->count <= PARTS_MOST);
	snprintf(p->name, sizeof(p->name), "%s", name);
	p->size = size;
	p->good = malloc(size);
	p->bytes = malloc(size);
	p->grains = malloc((size / GRAIN + 1) * sizeof(*p->grains));
	FUZZ_CHECK(p->good != NULL && p->bytes != NULL && p->grains != NULL);
	memcpy(p->good, bytes, size);
	for (at = 0; at + GRAIN <= size; at += GRAIN)
		if (memcmp(p->good + at, zeros, GRAIN) != 0)
			p->grains[p->ngrains++] = at;
}

/* Reads the files of the only trace in a directory. */
static void
load_files(void)
{
	const struct dirent *entry;
	char trace[128] = "", path[512];
	DIR *dir = opendir(directory);
	struct stat st;
	char *bytes;
	int fd;

	FUZZ_CHECK(dir != NULL);
	while ((entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.')
			snprintf(trace, sizeof(trace), "%s/%.30s", directory,
			    entry->d_name);
	closedir(dir);
	FUZZ_CHECK((dir = opendir(trace)) != NULL);
	while ((entry = readdir(dir)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s", trace, entry->d_name);
		FUZZ_CHECK((fd = open(path, O_RDONLY)) != -1 &&
		    fstat(fd, &st) == 0);
		if (S_ISREG(st.st_mode)) {
			bytes = malloc((size_t)st.st_size);
			FUZZ_CHECK(bytes != NULL && read(fd, bytes,
			    (size_t)st.st_size) == st.st_size);
			add_part(&files, entry->d_name, bytes,
			    (size_t)st.st_size);
			free(bytes);
		}
		close(fd);
	}
	closedir(dir);
}

/* Divides a pipe into its packets. */
static void
load_packets(int fd)
{
	uint64_t size = (uint64_t)lseek(fd, 0, SEEK_END), at;
	struct ctf_head head;
	char *bytes = malloc(size);

	FUZZ_CHECK(bytes != NULL &&
	    pread(fd, bytes, size, 0) == (ssize_t)size);
	for (at = 0; at < size; at += head.packet_size / 8) {
		memcpy(&head, bytes + at, sizeof(head));
		add_part(&packets, "packet", bytes + at,
		    head.packet_size / 8);
	}
	free(bytes);
}

/* Records the packets of a file in both ways. */
static void
record(const char *path)
{
	struct tbuf_consumer *c = tbuf_consumer_new();
	int fd = memfd_create("pipe", MFD_CLOEXEC), error;
	struct pipe *p = pipe_open(dup(fd), BLOCK);
	struct tbuf_packet packet;
	struct recording *r;
	const char *why;
	char size[24];
	int more;

	(void)snprintf(size, sizeof(size), "%zu", pipe_room(BLOCK));
	FUZZ_CHECK(c != NULL && tbuf_consumer_set(c, "packetsize", size) == 0);
	r = recording_open(directory, 0, &error, &why);
	FUZZ_CHECK(r != NULL && fd != -1);
	FUZZ_CHECK(tbuf_consumer_open_file(c, path) >= 0 &&
	    tbuf_consumer_go(c) == 0);
	do {
		more = tbuf_consumer_work(c);
		while (tbuf_consumer_packet(c, &packet) > 0) {
			FUZZ_CHECK(recording_add(r, c, &packet) == 0);
			FUZZ_CHECK(pipe_add(p, c, &packet) == 0);
		}
		drain(c);
	} while (more > 0);
	packets.records = files.records = pipe_records(p);
	FUZZ_CHECK(recording_close(r) == 0 && pipe_close(p) == 0);
	load_packets(fd);
	close(fd);
	tbuf_consumer_close(c);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct image image = { .view.size = IMAGE_SIZE };
	int fd = memfd_create("image", MFD_CLOEXEC);
	char path[64];

	(void)argc;
	(void)argv;
	snprintf(directory, sizeof(directory), "%.64s/recording",
	    fuzz_directory());
	FUZZ_CHECK(fd != -1 && ftruncate(fd, IMAGE_SIZE) == 0);
	image.view.base = mmap(NULL, IMAGE_SIZE, PROT_READ | PROT_WRITE,
	    MAP_SHARED, fd, 0);
	FUZZ_CHECK(image.view.base != MAP_FAILED);
	image_target(&image, 1, 1);
	image_sessions(&image);
	image_records(&image);
	image_units(&image);
	/* A recording is of one session. */
	memset(tbuf_view_control(&image.view)->state + 1, 0,
	    sizeof(tbuf_view_control(&image.view)->state) -
	    sizeof(tbuf_view_control(&image.view)->state[0]));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	record(path);
	load_files();
	FUZZ_CHECK(chunks_remove(AT_FDCWD, directory, 2) == 0);
	munmap(image.view.base, IMAGE_SIZE);
	close(fd);
	pipe_bytes = malloc(PIPE_ROOM);
	FUZZ_CHECK(pipe_bytes != NULL);
	return (0);
}

/* ------------------------------------------------------------ patches */

static void
change_content(struct part *p, unsigned how, uint32_t at, uint32_t value)
{
	uint64_t word;
	unsigned bytes = how == CHANGE_BYTE ? 1 : how == CHANGE_WORD ? 4 : 8;

	if (p->ngrains == 0)
		return;
	at = p->grains[at / GRAIN % p->ngrains] + at % GRAIN;
	if (at + 8 > p->size)
		return;
	memcpy(&word, p->bytes + at, sizeof(word));
	word = how == CHANGE_ADD ? word + (uint64_t)(int64_t)(int32_t)value :
	    (uint64_t)(int64_t)(int32_t)value;
	memcpy(p->bytes + at, &word, bytes);
}

/* Returns true if a patch changes the content of packets. */
static bool
take_patch(struct input *in, struct parts *to)
{
	struct part *p = &to->all[input_take(in, 1) % to->count];
	unsigned how = (unsigned)input_take(in, 1) % CHANGES;
	uint32_t at = (uint32_t)input_take(in, 2);
	uint32_t value = (uint32_t)input_take(in, 4);

	if (how == CHANGE_LENGTH)
		p->length = value % (p->size + 1);
	else if (how == CHANGE_DROP)
		p->copies = 0;
	else if (how == CHANGE_TWICE)
		p->copies = 2;
	else if (how == CHANGE_GARBAGE)
		p->garbage = value;
	else
		change_content(p, how, at, value);
	return (how < CHANGE_DROP || how == CHANGE_GARBAGE);
}

static void
begin(struct parts *to)
{
	struct part *p;

	for (p = to->all; p < to->all + to->count; p++) {
		memcpy(p->bytes, p->good, p->size);
		p->length = p->size;
		p->copies = 1;
		p->garbage = 0;
	}
}

/* ------------------------------------------------------------ reading */

static void
put(const void *bytes, size_t size)
{
	if (size > PIPE_ROOM - pipe_size)
		return;
	memcpy(pipe_bytes + pipe_size, bytes, size);
	pipe_size += size;
}

/* Stores the right check sum of a packet, if its sizes are those it had. */
static void
put_sum(struct part *p)
{
	struct ctf_head head;
	struct pipe_mark mark;
	size_t unit, at, parts[4];
	uint64_t sum = PIPE_SUM_START;
	char *bytes = p->bytes;
	unsigned i;

	memcpy(&head, p->bytes, sizeof(head));
	unit = head.stream_id == CTF_UNIT ? sizeof(struct ctf_unit) : 0;
	at = head.content_size / 8;
	if (at < sizeof(head) + unit || at > p->size ||
	    p->size - at < sizeof(struct ctf_tail) + sizeof(mark))
		return;
	parts[0] = sizeof(head);
	parts[1] = unit;
	parts[2] = at - sizeof(head) - unit;
	parts[3] = sizeof(struct ctf_tail);
	for (i = 0; i < 4; bytes += parts[i++])
		sum = pipe_sum(sum, bytes, parts[i]);
	memcpy(&mark, bytes, sizeof(mark));
	mark.sum = pipe_sum(sum, &mark, offsetof(struct pipe_mark, sum));
	memcpy(bytes, &mark, sizeof(mark));
}

static ssize_t
read_pipe(void *arg, void *bytes, size_t size)
{
	size_t n = MIN(size, pipe_size - pipe_at);

	(void)arg;
	n = MIN(n, 10000);
	memcpy(bytes, pipe_bytes + pipe_at, n);
	pipe_at += n;
	return ((ssize_t)n);
}

/* Receives the pipe into the directory.  Returns false if that failed. */
static bool
receive_packets(bool sums, bool changed)
{
	const uint32_t magic = CTF_MAGIC;
	struct pipe_reader reader = { .read = read_pipe };
	struct received got;
	struct recording *r;
	struct part *p;
	const char *why;
	int error, closed;
	bool unwritten;
	unsigned i;

	pipe_at = pipe_size = 0;
	for (p = packets.all; p < packets.all + packets.count; p++) {
		if (p->garbage != 0) {
			put(&magic, sizeof(magic));
			put(&p->garbage, sizeof(p->garbage));
		}
		if (sums)
			put_sum(p);
		for (i = 0; i < p->copies; i++)
			put(p->bytes, p->length);
	}
	r = recording_open(directory, 0, &error, &why);
	FUZZ_CHECK(r != NULL);
	error = receive(&reader, r, &got, &unwritten);
	closed = recording_close(r);
	pipe_read_free(&reader);
	/* Losses are exact if the end has come, and no sum is forged. */
	if (!changed && got.ended) {
		FUZZ_CHECK(error == 0 && closed == 0);
		FUZZ_CHECK(got.totals.records + got.records ==
		    packets.records);
	}
	return (error == 0 && closed == 0);
}

static void
write_files(void)
{
	char path[sizeof(directory) + 48];
	struct part *p;
	int fd;

	snprintf(path, sizeof(path), "%s/trace", directory);
	FUZZ_CHECK(mkdir(directory, 0700) == 0 && mkdir(path, 0700) == 0);
	for (p = files.all; p < files.all + files.count; p++) {
		if (p->copies == 0)
			continue;
		snprintf(path, sizeof(path), "%s/trace/%.31s", directory,
		    p->name);
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
		FUZZ_CHECK(fd != -1);
		FUZZ_CHECK(write(fd, p->bytes, p->length) ==
		    (ssize_t)p->length);
		close(fd);
	}
}

/* Reads the directory as --read does. */
static void
read_directory(bool temporal, bool patched)
{
	struct tbuf_consumer *c = tbuf_consumer_new();
	struct tbuf_totals totals;
	const char *why;

	FUZZ_CHECK(c != NULL);
	if (temporal) {
		tbuf_consumer_set(c, "temporal", NULL);
		tbuf_consumer_set(c, "dropsoon", NULL);
	}
	if (recording_read(c, directory, &why) == 0 &&
	    tbuf_consumer_go(c) == 0) {
		drain_list(c);
		while (tbuf_consumer_work(c) > 0)
			drain(c);
		drain(c);
	} else
		FUZZ_CHECK(why != NULL || *tbuf_consumer_error(c) != '\0');
	tbuf_consumer_totals(c, &totals);
	counted = totals.records;
	FUZZ_CHECK(patched || counted == files.records);
	tbuf_consumer_close(c);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct input in = { data, n };
	unsigned options = (unsigned)input_take(&in, 1);
	bool piped = (options & OPTION_PIPE) != 0;
	struct parts *to = piped ? &packets : &files;
	bool patched = in.size > 0, changed = false;

	begin(to);
	while (in.size > 0)
		changed |= take_patch(&in, to);
	/* Damaged packets without the right check sum are lost, exactly. */
	changed &= (options & OPTION_SUMS) != 0;
	if (piped)
		(void)receive_packets((options & OPTION_SUMS) != 0, changed);
	else
		write_files();
	read_directory((options & OPTION_TEMPORAL) != 0, patched);
	FUZZ_CHECK(chunks_remove(AT_FDCWD, directory, 2) == 0);
	return (0);
}
