/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * kvd: a key-value server with probes, to try tbufctl(1) on.
 *
 *	kvd [-t threads] [path | port]
 *
 * It serves a Unix socket (by default kvd.sock in $XDG_RUNTIME_DIR or /tmp), or
 * a port of the loopback interface, until SIGTERM or SIGINT.  A request is a
 * line, and so is its answer:
 *
 *	set KEY VALUE	OK
 *	get KEY		VALUE ... | NONE
 *	del KEY		OK | NONE
 *	nap SECONDS	OK, after that time: a request that hangs
 *	in TRACEPARENT REQUEST
 *			as REQUEST, which is part of a trace of OpenTelemetry
 *
 * The probes:
 *
 *	kv:::connection-open	fd
 *	kv:::connection-close	fd, requests
 *	kv:::request-start	id, op, key, bytes
 *	kv:::request-trace	id, traceparent
 *	kv:::request-done	id, status
 *	kv:::store-set		key, bytes, replaced
 *	kv:::store-del		key
 *
 * Each request is a work unit of the kind `request' (tbuf_unit_begin(3)); if it
 * succeeds, only its request-trace and request-done are retained.
 *
 * The components `server', `connection' and `request' print messages in words:
 * tbuf_text(3).
 */
/* Not inlined, so that stacks show its name. */
#define NAMED		__attribute__((noinline))

#define _GNU_SOURCE 1

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
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
#include <unistd.h>

#include <tbuf_text.h>

TBUF_COMPONENT(server, "server");
TBUF_COMPONENT(connection, "connection");
TBUF_COMPONENT(request, "request");

#define LINE_SIZE	4096	/* the longest request, with its newline */
#define ANSWER_SIZE	(LINE_SIZE + 8)
#define BUCKETS		65536
#define LOCKS		64
#define THREADS_MAX	256

struct entry {
	struct entry *next;
	const char *value;	/* after the key */
	char key[];
};

struct connection {
	struct connection *next;
	struct connection **link;	/* pointer to this one in the list */
	int fd;
	uint64_t requests;
	size_t in_size;
	size_t out_size;
	char in[LINE_SIZE];
	char out[2 * ANSWER_SIZE];
};

struct worker {
	pthread_t thread;
	int epoll;
	struct connection *connections;	/* used by the worker's thread only */
};

static struct entry *buckets[BUCKETS];
static pthread_mutex_t locks[LOCKS];
static atomic_uint_fast64_t next_id;
static int listen_fd;
static int end_fd;		/* readable after a request to end */
static const char *socket_path;	/* of a Unix socket: removed at the end */

static uint32_t
hash(const char *key)
{
	uint32_t h = 2166136261u;

	for (; *key != '\0'; key++)
		h = (h ^ (unsigned char)*key) * 16777619u;
	return (h % BUCKETS);
}

/* Returns the pointer to the key's entry, or the end of its chain. */
static struct entry **
store_find(uint32_t bucket, const char *key)
{
	struct entry **p = &buckets[bucket];

	while (*p != NULL && strcmp((*p)->key, key) != 0)
		p = &(*p)->next;
	return (p);
}

static bool
store_set(const char *key, const char *value)
{
	uint32_t bucket = hash(key);
	size_t key_size = strlen(key) + 1, bytes = strlen(value);
	struct entry *entry = malloc(sizeof(*entry) + key_size + bytes + 1);
	struct entry **p, *old;
	bool replaced;

	if (entry == NULL) {
		tbuf_text(&request, TBUF_SEVERE, "no memory for %s", key);
		return (false);
	}
	memcpy(entry->key, key, key_size);
	entry->value = memcpy(entry->key + key_size, value, bytes + 1);
	pthread_mutex_lock(&locks[bucket % LOCKS]);
	p = store_find(bucket, key);
	old = *p;
	entry->next = old != NULL ? old->next : NULL;
	*p = entry;
	pthread_mutex_unlock(&locks[bucket % LOCKS]);
	replaced = old != NULL;
	TBUF_PROBE(kv, store__set, key, bytes, replaced);
	free(old);
	return (true);
}

/* Copies the value into `answer`, of ANSWER_SIZE bytes. */
static bool
store_get(const char *key, char *answer)
{
	uint32_t bucket = hash(key);
	struct entry *entry;

	pthread_mutex_lock(&locks[bucket % LOCKS]);
	entry = *store_find(bucket, key);
	if (entry != NULL)
		snprintf(answer, ANSWER_SIZE, "VALUE %s", entry->value);
	pthread_mutex_unlock(&locks[bucket % LOCKS]);
	return (entry != NULL);
}

static bool
store_del(const char *key)
{
	uint32_t bucket = hash(key);
	struct entry **p, *entry;

	pthread_mutex_lock(&locks[bucket % LOCKS]);
	p = store_find(bucket, key);
	entry = *p;
	if (entry != NULL)
		*p = entry->next;
	pthread_mutex_unlock(&locks[bucket % LOCKS]);
	if (entry == NULL)
		return (false);
	TBUF_PROBE(kv, store__del, key);
	free(entry);
	return (true);
}

/* Removes "in TRACEPARENT" from a line.  Returns TRACEPARENT, or NULL. */
static char *
take_trace(char **line)
{
	char *word = *line, *trace;

	if (strncmp(word, "in ", 3) != 0)
		return (NULL);
	(void)strsep(line, " ");
	trace = strsep(line, " ");
	if (*line == NULL)
		*line = trace + strlen(trace);
	return (trace);
}

/*
 * Serves one line; the answer goes to `answer`, of ANSWER_SIZE bytes.  The
 * duration is not an argument of a probe: records have a time, and two more
 * clock reads would cost more than both records.
 */
NAMED static void
request_serve(char *line, char *answer)
{
	uint64_t id = atomic_fetch_add(&next_id, 1) + 1;
	const char *status = "ERROR get KEY, set KEY VALUE, or del KEY";
	size_t bytes = strlen(line);
	char *traceparent = take_trace(&line);
	char *op = strsep(&line, " ");
	char *key = strsep(&line, " ");
	char *value = line;
	uint64_t unit = tbuf_unit_begin("request", id);

	TBUF_PROBE(kv, request__start, id, op, key, bytes);
	if (traceparent != NULL)
		TBUF_PROBE_SEL(TBUF_SEL_FAILURE | TBUF_SEL_SUCCESS, kv,
		    request__trace, id, traceparent);
	tbuf_text(&request, TBUF_DEBUG, "%ju: %s %s, %zu bytes", (uintmax_t)id,
	    op, key == NULL ? "" : key, bytes);
	answer[0] = '\0';
	if (key == NULL || *key == '\0')
		;
	else if (strcmp(op, "get") == 0 && value == NULL)
		status = store_get(key, answer) ? "VALUE" : "NONE";
	else if (strcmp(op, "set") == 0 && value != NULL)
		status = store_set(key, value) ? "OK" : "ERROR memory";
	else if (strcmp(op, "del") == 0 && value == NULL)
		status = store_del(key) ? "OK" : "NONE";
	else if (strcmp(op, "nap") == 0 && value == NULL) {
		sleep((unsigned)strtoul(key, NULL, 10));
		status = "OK";
	}
	if (strncmp(status, "ERROR", 5) == 0)
		tbuf_text(&request, TBUF_WARNING, "%ju: %s", (uintmax_t)id,
		    status);
	if (answer[0] == '\0')
		strcpy(answer, status);
	TBUF_PROBE_SEL(TBUF_SEL_FAILURE | TBUF_SEL_SUCCESS, kv, request__done,
	    id, status);
	tbuf_unit_end(unit, strncmp(status, "ERROR", 5) == 0);
}

static void
connection_close(struct connection *c)
{
	TBUF_PROBE(kv, connection__close, c->fd, c->requests);
	tbuf_text(&connection, TBUF_INFO, "fd %d closed after %ju requests",
	    c->fd, (uintmax_t)c->requests);
	*c->link = c->next;
	if (c->next != NULL)
		c->next->link = c->link;
	close(c->fd);
	free(c);
}

/* Sends as much as possible without waiting; false if the peer has closed. */
static bool
connection_flush(struct connection *c)
{
	ssize_t n;

	while (c->out_size > 0) {
		n = send(c->fd, c->out, c->out_size, MSG_NOSIGNAL);
		if (n < 0)
			return (errno == EAGAIN);
		c->out_size -= n;
		memmove(c->out, c->out + n, c->out_size);
	}
	return (true);
}

/* Serves the complete lines received, while there is room for answers. */
NAMED static bool
connection_serve(struct connection *c)
{
	char *line = c->in, *end;

	while (c->out_size + ANSWER_SIZE <= sizeof(c->out) && (end = memchr(
	    line, '\n', c->in_size - (line - c->in))) != NULL) {
		*end = '\0';
		c->requests++;
		request_serve(line, c->out + c->out_size);
		c->out_size += strlen(c->out + c->out_size);
		c->out[c->out_size++] = '\n';
		line = end + 1;
	}
	c->in_size -= line - c->in;
	memmove(c->in, line, c->in_size);
	/* A line that fills the buffer is too long: the connection ends. */
	return (c->in_size < sizeof(c->in) ||
	    memchr(c->in, '\n', c->in_size) != NULL);
}

/*
 * Serves a ready connection: reads, serves and answers until one of these would
 * wait.  Nothing is read while the peer does not read its answers.
 */
NAMED static bool
connection_work(struct connection *c, int epoll)
{
	struct epoll_event event = { .data.ptr = c };
	ssize_t n;

	for (;;) {
		if (!connection_serve(c) || !connection_flush(c))
			return (false);
		if (c->out_size > 0)
			break;
		if (memchr(c->in, '\n', c->in_size) != NULL)
			continue;
		n = recv(c->fd, c->in + c->in_size,
		    sizeof(c->in) - c->in_size, 0);
		if (n == 0 || (n < 0 && errno != EAGAIN))
			return (false);
		if (n < 0)
			break;
		c->in_size += n;
	}
	event.events = c->out_size > 0 ? EPOLLOUT : EPOLLIN;
	return (epoll_ctl(epoll, EPOLL_CTL_MOD, c->fd, &event) == 0);
}

static void
connection_open(struct worker *w)
{
	struct epoll_event event = { .events = EPOLLIN };
	struct connection *c;
	int fd;

	fd = accept4(listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0)
		return;		/* another worker has accepted it */
	c = calloc(1, sizeof(*c));
	if (c == NULL) {
		tbuf_text(&connection, TBUF_SEVERE, "no memory for fd %d", fd);
		close(fd);
		return;
	}
	c->fd = fd;
	c->next = w->connections;
	c->link = &w->connections;
	if (c->next != NULL)
		c->next->link = &c->next;
	w->connections = c;
	TBUF_PROBE(kv, connection__open, fd);
	tbuf_text(&connection, TBUF_INFO, "fd %d opened", fd);
	event.data.ptr = c;
	if (epoll_ctl(w->epoll, EPOLL_CTL_ADD, fd, &event) != 0)
		connection_close(c);
}

/*
 * Runs a worker: waits for the listener, for the end, and for connections of
 * its own.
 */
static void *
worker_run(void *arg)
{
	struct worker *w = arg;
	struct epoll_event events[64];
	int i, n;

	for (;;) {
		n = epoll_wait(w->epoll, events, 64, -1);
		for (i = 0; i < n; i++) {
			if (events[i].data.ptr == &end_fd)
				goto end;
			if (events[i].data.ptr == &listen_fd)
				connection_open(w);
			else if (!connection_work(events[i].data.ptr,
			    w->epoll))
				connection_close(events[i].data.ptr);
		}
	}
end:
	while (w->connections != NULL)
		connection_close(w->connections);
	close(w->epoll);
	return (NULL);
}

static void
worker_start(struct worker *w)
{
	struct epoll_event listen_event = {
		.events = EPOLLIN | EPOLLEXCLUSIVE, .data.ptr = &listen_fd
	};
	struct epoll_event end_event = {
		.events = EPOLLIN, .data.ptr = &end_fd
	};
	int error;

	w->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (w->epoll < 0 ||
	    epoll_ctl(w->epoll, EPOLL_CTL_ADD, listen_fd, &listen_event) ||
	    epoll_ctl(w->epoll, EPOLL_CTL_ADD, end_fd, &end_event))
		err(1, "epoll");
	error = pthread_create(&w->thread, NULL, worker_run, w);
	if (error != 0) {
		errno = error;
		err(1, "pthread_create");
	}
}

static void
listen_unix(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int probe;

	if (strlen(path) >= sizeof(address.sun_path))
		errx(1, "%s: path is too long for a socket", path);
	strcpy(address.sun_path, path);
	/* A socket without a listener is left by a killed server. */
	probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (connect(probe, (void *)&address, sizeof(address)) == 0)
		errx(1, "%s: another server listens there already", path);
	if (errno == ECONNREFUSED)
		unlink(path);
	close(probe);
	listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK |
	    SOCK_CLOEXEC, 0);
	if (bind(listen_fd, (void *)&address, sizeof(address)) != 0)
		err(1, "%s", path);
	socket_path = path;
}

static void
listen_port(unsigned short port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)
	};
	int on = 1;

	listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK |
	    SOCK_CLOEXEC, 0);
	setsockopt(listen_fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(listen_fd, (void *)&address, sizeof(address)) != 0)
		err(1, "port %u", port);
}

/* Listens at a port if `where` is a number, else at a path. */
static void
listen_at(const char *where)
{
	char *end;
	unsigned long port = strtoul(where, &end, 10);

	if (*end != '\0' || *where == '\0')
		listen_unix(where);
	else if (port > 0 && port <= 65535)
		listen_port(port);
	else
		errx(2, "%s: not a port", where);
	if (listen(listen_fd, SOMAXCONN) != 0)
		err(1, "listen");
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
usage(void)
{
	fprintf(stderr, "usage: kvd [-t threads] [path | port]\n");
	exit(2);
}

int
main(int argc, char **argv)
{
	static struct worker workers[THREADS_MAX];
	const uint64_t one = 1;
	const char *where;
	struct entry *entry;
	sigset_t signals;
	int i, option, signal, threads = 4;

	while ((option = getopt(argc, argv, "t:")) != -1) {
		if (option != 't')
			usage();
		threads = atoi(optarg);
	}
	if (threads < 1 || threads > THREADS_MAX || argc - optind > 1)
		usage();
	where = optind < argc ? argv[optind] : default_path();

	/* The workers inherit the mask, so that sigwait() gets the signal. */
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	for (i = 0; i < LOCKS; i++)
		pthread_mutex_init(&locks[i], NULL);
	end_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	listen_at(where);
	for (i = 0; i < threads; i++)
		worker_start(&workers[i]);
	tbuf_text(&server, TBUF_INFO, "%s is served by %d threads", where,
	    threads);

	sigwait(&signals, &signal);
	tbuf_text(&server, TBUF_INFO, "signal %d ends it", signal);
	if (write(end_fd, &one, sizeof(one)) < 0)
		err(1, "write");
	for (i = 0; i < threads; i++)
		pthread_join(workers[i].thread, NULL);
	if (socket_path != NULL)
		unlink(socket_path);
	for (i = 0; i < BUCKETS; i++) {
		while ((entry = buckets[i]) != NULL) {
			buckets[i] = entry->next;
			free(entry);
		}
	}
	return (0);
}
