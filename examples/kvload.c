/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * kvload: puts load on kvd and prints a summary.
 *
 *	kvload [--connections=N] [--requests=N] [--keys=N] [--sets=PERCENT]
 *	    [--rate=N] [--seed=N] [path | port]
 *	kvload --say=REQUEST [path | port]
 *
 * Each connection has a thread that sends a request and waits for the answer.
 * --requests=0 runs until SIGINT or SIGTERM, or until the server ends.  --say
 * sends one request, and prints the answer.  --rate is the requests a second of
 * all connections together (0: as many as the server takes).  The same seed
 * makes the same requests.
 */
#include <sys/socket.h>
#include <sys/un.h>

#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <tbuf.h>

#define SECOND		UINT64_C(1000000000)
#define CONNECTIONS_MAX	1024
#define BINS		(64 * 8)	/* eight per factor of two */

struct client {
	pthread_t thread;
	int fd;
	uint64_t random;
	uint64_t requests;
	uint64_t misses;		/* answers NONE */
	uint64_t failures;		/* answers ERROR */
	uint64_t bins[BINS];		/* latencies */
	bool broken;			/* the server ended the connection */
};

static uint64_t connections = 4;
static uint64_t requests = 10000;
static uint64_t keys = 1000;
static uint64_t sets = 20;
static uint64_t rate;
static uint64_t seed = 1;

static atomic_uint_fast64_t next_request;
static atomic_bool ended;
static uint64_t began;			/* CLOCK_MONOTONIC, ns */

static uint64_t
nanoseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec * SECOND + now.tv_nsec);
}

static uint64_t
random_below(uint64_t *state, uint64_t n)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (*state % n);
}

/* Returns a latency's bin: its power of two and the three bits below it. */
static unsigned
bin_of(uint64_t ns)
{
	unsigned log = 63 - __builtin_clzll(ns | 8);

	return (log * 8 + (ns >> (log - 3) & 7));
}

/* Returns the upper end of a bin. */
static uint64_t
bin_limit(unsigned bin)
{
	return ((UINT64_C(9) + bin % 8) << (bin / 8 - 3));
}

/* Waits until request n is due. */
static void
pace(uint64_t n)
{
	uint64_t due = began + n * SECOND / (rate != 0 ? rate : 1);
	struct timespec at = {
		.tv_sec = due / SECOND, .tv_nsec = due % SECOND
	};

	if (rate != 0)
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

/* Reads an answer's line into `line`, without its newline. */
static bool
answer_read(int fd, char *line, size_t size)
{
	size_t used = 0;
	ssize_t n;

	while (used < size) {
		n = recv(fd, line + used, size - used, 0);
		if (n <= 0)
			return (false);
		used += n;
		if (line[used - 1] == '\n') {
			line[used - 1] = '\0';
			return (true);
		}
	}
	return (false);
}

static bool
request_send(struct client *c)
{
	uint64_t key = random_below(&c->random, keys), start, ns;
	bool set = random_below(&c->random, 100) < sets;
	char line[8192];
	int size;

	if (set)
		size = snprintf(line, sizeof(line), "set key%ju value%ju\n",
		    (uintmax_t)key, (uintmax_t)c->random);
	else
		size = snprintf(line, sizeof(line), "get key%ju\n",
		    (uintmax_t)key);
	TBUF_PROBE(kvload, request__send, set, key);
	start = nanoseconds();
	if (send(c->fd, line, size, MSG_NOSIGNAL) != size ||
	    !answer_read(c->fd, line, sizeof(line)))
		return (false);
	ns = nanoseconds() - start;
	TBUF_PROBE(kvload, request__answer, line, ns);
	c->requests++;
	c->bins[bin_of(ns)]++;
	if (strcmp(line, "NONE") == 0)
		c->misses++;
	else if (strncmp(line, "ERROR", 5) == 0)
		c->failures++;
	return (true);
}

static void *
client_run(void *arg)
{
	struct client *c = arg;
	uint64_t n;

	while (!ended) {
		n = atomic_fetch_add(&next_request, 1);
		if (requests != 0 && n >= requests)
			break;
		pace(n);
		if (!request_send(c)) {
			c->broken = !ended;
			break;
		}
	}
	close(c->fd);
	return (NULL);
}

static int
connect_once(const struct sockaddr *address, socklen_t size)
{
	int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int error;

	if (fd < 0)
		err(1, "socket");
	if (connect(fd, address, size) == 0)
		return (fd);
	error = errno;
	close(fd);
	errno = error;
	return (-1);
}

/*
 * Connects to a port if it is a number, otherwise to a path.  Waits up to five
 * seconds for a server to start.
 */
static int
connect_to(const char *where)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	struct sockaddr_in in = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)
	};
	char *rest;
	unsigned long port = strtoul(where, &rest, 10);
	bool local = *rest != '\0' || *where == '\0';
	int fd = -1, tries;

	if (strlen(where) >= sizeof(un.sun_path))
		errx(1, "%s: path is too long for a socket", where);
	if (!local && (port == 0 || port > 65535))
		errx(2, "%s: not a port", where);
	strcpy(un.sun_path, where);
	in.sin_port = htons(port);
	for (tries = 0; fd < 0 && tries < 100 && !ended; tries++) {
		if (tries > 0)
			usleep(50000);
		if (local)
			fd = connect_once((void *)&un, sizeof(un));
		else
			fd = connect_once((void *)&in, sizeof(in));
	}
	if (fd < 0)
		err(1, "%s", where);
	return (fd);
}

static const char *
default_path(void)
{
	static char path[PATH_MAX];
	const char *dir = getenv("XDG_RUNTIME_DIR");

	snprintf(path, sizeof(path), "%s/kvd.sock", dir ? dir : "/tmp");
	return (path);
}

static void
end(int signal)
{
	(void)signal;
	ended = true;
}

static void
usage(void)
{
	fprintf(stderr, "usage: kvload [--connections=N] [--requests=N] "
	    "[--keys=N] [--sets=PERCENT]\n"
	    "              [--rate=N] [--seed=N] [path | port]\n"
	    "       kvload --say=REQUEST [path | port]\n");
	exit(2);
}

static const char *saying;		/* --say */

static void
options_read(int argc, char **argv)
{
	static const struct option options[] = {
		{ "connections", required_argument, NULL, 'c' },
		{ "requests", required_argument, NULL, 'n' },
		{ "keys", required_argument, NULL, 'k' },
		{ "sets", required_argument, NULL, 's' },
		{ "rate", required_argument, NULL, 'r' },
		{ "seed", required_argument, NULL, 'e' },
		{ "say", required_argument, NULL, 'y' },
		{ NULL, 0, NULL, 0 }
	};
	uint64_t *const values[] = {
		&connections, &requests, &keys, &sets, &rate, &seed
	};
	char *rest;
	int option, index;

	while ((option = getopt_long(argc, argv, "", options, &index)) != -1) {
		if (option == '?')
			usage();
		if (option == 'y') {
			saying = optarg;
			continue;
		}
		*values[index] = strtoull(optarg, &rest, 10);
		if (*rest != '\0' || *optarg == '\0' || *optarg == '-')
			usage();
	}
	if (connections < 1 || connections > CONNECTIONS_MAX || keys == 0 ||
	    sets > 100 || argc - optind > 1)
		usage();
}

/* Returns the latency that `share` of all requests did not exceed. */
static uint64_t
quantile(const uint64_t *bins, uint64_t total, double share)
{
	uint64_t seen = 0;
	unsigned i;

	for (i = 0; i < BINS; i++) {
		seen += bins[i];
		if (seen > 0 && seen >= share * total)
			return (bin_limit(i));
	}
	return (0);
}

/* Prints the summary.  Returns false if there was an error. */
static bool
summary(const struct client *clients)
{
	static uint64_t bins[BINS];
	uint64_t total = 0, misses = 0, failures = 0, i;
	double elapsed = (double)(nanoseconds() - began) / SECOND;
	bool broken = false;
	unsigned bin;

	for (i = 0; i < connections; i++) {
		total += clients[i].requests;
		misses += clients[i].misses;
		failures += clients[i].failures;
		broken = broken || clients[i].broken;
		for (bin = 0; bin < BINS; bin++)
			bins[bin] += clients[i].bins[bin];
	}
	printf("seed %ju: %ju requests, %ju misses, %ju errors in %.3f s "
	    "(%.0f a second)\n", (uintmax_t)seed, (uintmax_t)total,
	    (uintmax_t)misses, (uintmax_t)failures, elapsed, total / elapsed);
	printf("latency: 50%% %.1f us, 99%% %.1f us, all %.1f us\n",
	    quantile(bins, total, 0.5) / 1e3,
	    quantile(bins, total, 0.99) / 1e3,
	    quantile(bins, total, 1) / 1e3);
	if (broken)
		warnx("the server closed the connection");
	return (!broken && failures == 0);
}

/* Sends one request and prints its answer. */
static int
say(const char *where)
{
	char line[8192];
	int fd = connect_to(where);
	int size = snprintf(line, sizeof(line), "%s\n", saying);

	if (size >= (int)sizeof(line))
		errx(1, "a request is one line");
	if (send(fd, line, size, MSG_NOSIGNAL) != size ||
	    !answer_read(fd, line, sizeof(line)))
		errx(1, "the server closed the connection");
	puts(line);
	return (strncmp(line, "ERROR", 5) == 0);
}

int
main(int argc, char **argv)
{
	static struct client clients[CONNECTIONS_MAX];
	struct sigaction action = { .sa_handler = end };
	const char *where;
	uint64_t i;
	int error;

	options_read(argc, argv);
	where = optind < argc ? argv[optind] : default_path();
	if (saying != NULL)
		return (say(where));
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	for (i = 0; i < connections; i++) {
		clients[i].fd = connect_to(where);
		clients[i].random = (seed + i) * UINT64_C(0x9e3779b97f4a7c15)
		    | 1;
	}
	began = nanoseconds();
	for (i = 0; i < connections; i++) {
		error = pthread_create(&clients[i].thread, NULL, client_run,
		    &clients[i]);
		if (error != 0) {
			errno = error;
			err(1, "pthread_create");
		}
	}
	for (i = 0; i < connections; i++)
		pthread_join(clients[i].thread, NULL);
	return (summary(clients) ? 0 : 1);
}
