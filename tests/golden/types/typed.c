/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A target whose probes have pointers to what only its debug information
 * describes.  It fires once; with an argument, once for each line that it
 * reads, after it has said so.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <tbuf.h>

enum op { OP_GET = 1, OP_PUT = 7, OP_LAST = -1 };
enum small { SMALL_FIRST, SMALL_LAST = 200 } __attribute__((packed));

struct address {
	uint8_t octets[4];
	unsigned short port;
};

typedef struct peer peer_t;

struct request {
	const char *path;
	char verb[8];
	enum op op;
	enum small small;
	unsigned a:3, b:7, c:11;
	int d:5;
	struct address from;
	union {
		long number;
		char bytes[8];
	} u;
	struct {
		int x, y;
	};
	int matrix[2][3];
	peer_t *peer;
	struct request *next;
	void (*done)(struct request *);
	const volatile unsigned long long big;
	double ratio;
	_Bool yes;
	char tail[];
};
typedef struct request request_t;

struct peer {
	int fd;
	const char *name;
	struct request *last;
};

static __attribute__((noinline)) void
serve(request_t *req, int n)
{
	TBUF_PROBE(typed, request__start, req, n);
	TBUF_PROBE(typed, path, req->path, n);
}

/* Which of the two is meant nobody knows. */
static __attribute__((noinline)) void
confuse(struct request *req, struct peer *peer)
{
	{
		struct request *it = req;

		TBUF_PROBE(typed, first, it);
	}
	{
		struct peer *it = peer;

		TBUF_PROBE(typed, second, it);
	}
}

static struct peer peer = { 42, "alice", NULL };
static request_t second = { .path = "/second", .op = OP_GET };
static request_t request = {
	.path = "/index.html", .verb = "GET", .op = OP_PUT,
	.small = SMALL_LAST, .a = 5, .b = 99, .c = 1234, .d = -7,
	.from = { { 10, 1, 2, 3 }, 8080 }, .u = { 0x41424344 },
	.x = 11, .y = 22, .matrix = { { 1, 2, 3 }, { 4, 5, 123 } },
	.peer = &peer, .next = &second, .big = 1ull << 40, .yes = 1,
	.tail = "tail"
};

int
main(int argc, char **argv)
{
	char line[16];

	(void)argv;
	if (argc == 1) {
		serve(&request, 1);
		return (0);
	}
	printf("ready\n");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin) != NULL) {
		serve(&request, line[0]);
		confuse(&request, &peer);
	}
	return (0);
}
