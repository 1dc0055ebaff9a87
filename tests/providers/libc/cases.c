/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Behaviour that the libc provider must not change, one case each.  Each case
 * runs without the provider, and with its probes disabled and enabled.  The
 * argument is the name of the case; it exits with 0, or prints expected and
 * found values.
 */
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LENGTH(array)	(sizeof(array) / sizeof((array)[0]))

extern char **environ;

#define EXPECT(got, wanted)						\
do {									\
	long long got_ = (long long)(got), wanted_ = (long long)(wanted); \
	if (got_ != wanted_)						\
		differs(__LINE__, #got, got_, wanted_);			\
} while (0)

static void
differs(int line, const char *what, long long got, long long wanted)
{
	fprintf(stderr, "provider_cases.c:%d: %s: expected %lld, got %lld\n",
	    line, what, wanted, got);
	_exit(1);
}

/* Returns an address that cannot be read, without a compiler's warning. */
static void *
nowhere(void)
{
	static volatile uintptr_t one = 1;

	return ((void *)one);
}

/* Opens a new file. */
static int
temporary(char path[256])
{
	const char *folder = getenv("TMPDIR");

	snprintf(path, 256, "%s/provider.XXXXXX",
	    folder == NULL ? "/tmp" : folder);
	return (mkstemp(path));
}

/* A call that succeeds does not change errno. */
static void
case_errno_kept(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	char byte = 'x', path[256];
	int fd, pair[2];
	void *p, *q;

	fd = temporary(path);
	errno = 77;
	EXPECT(write(fd, &byte, 1), 1);
	EXPECT(pwrite(fd, &byte, 1, 1), 1);
	EXPECT(pread(fd, &byte, 1, 0), 1);
	EXPECT(read(fd, &byte, 1), 1);
	EXPECT(fsync(fd), 0);
	EXPECT(fdatasync(fd), 0);
	EXPECT(close(fd), 0);
	fd = open(path, O_RDONLY);
	EXPECT(fd >= 0, 1);
	EXPECT(close(fd), 0);
	EXPECT(unlink(path), 0);
	p = malloc(10);
	q = realloc(p, 100000);
	free(q);
	EXPECT(posix_memalign(&p, 64, 100), 0);
	EXPECT((uintptr_t)p % 64, 0);
	free(p);
	free(reallocarray(calloc(3, 5), 7, 9));
	EXPECT(pthread_mutex_lock(&mutex), 0);
	EXPECT(pthread_mutex_trylock(&mutex), EBUSY);
	EXPECT(pthread_mutex_unlock(&mutex), 0);
	EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	EXPECT(send(pair[0], &byte, 1, 0), 1);
	EXPECT(recv(pair[1], &byte, 1, 0), 1);
	EXPECT(close(pair[0]), 0);
	EXPECT(close(pair[1]), 0);
	EXPECT(errno, 77);
}

#define FAILS(call, error)						\
do {									\
	errno = 77;							\
	EXPECT(call, -1);						\
	EXPECT(errno, error);						\
} while (0)

/* A call that fails sets errno. */
static void
case_errno_told(void)
{
	static volatile size_t huge = SIZE_MAX;
	char byte = 'x', *argv[] = { "x", NULL };
	pid_t pid;

	FAILS(read(-1, &byte, 1), EBADF);
	FAILS(pread(-1, &byte, 1, 0), EBADF);
	FAILS(write(-1, &byte, 1), EBADF);
	FAILS(pwrite(-1, &byte, 1, 0), EBADF);
	FAILS(close(-1), EBADF);
	FAILS(fsync(-1), EBADF);
	FAILS(fdatasync(-1), EBADF);
	FAILS(open("/nowhere/at/all", O_RDONLY), ENOENT);
	FAILS(openat(-1, "relative", O_RDONLY), EBADF);
	FAILS(creat("/", 0600), EISDIR);
	FAILS(socket(-1, 0, 0), EAFNOSUPPORT);
	FAILS(accept(-1, NULL, NULL), EBADF);
	FAILS(accept4(-1, NULL, NULL, 0), EBADF);
	FAILS(send(-1, &byte, 1, 0), EBADF);
	FAILS(recv(-1, &byte, 1, 0), EBADF);
	FAILS(execv("/nowhere/at/all", argv), ENOENT);
	FAILS(execlp("no-such-command", "x", "y", NULL), ENOENT);
	FAILS(execle("/nowhere/at/all", "x", NULL, environ), ENOENT);
	errno = 77;
	EXPECT(malloc(huge / 2) == NULL, 1);
	EXPECT(errno, ENOMEM);
	errno = 77;
	EXPECT(calloc(huge, 2) == NULL, 1);
	EXPECT(errno, ENOMEM);
	EXPECT(posix_spawn(&pid, "/nowhere/at/all", NULL, NULL, argv, environ),
	    ENOENT);
}

/*
 * functions that the headers call for a buffer of known size (_FORTIFY_SOURCE)
 */
int	__open_2(const char *, int);
int	__open64_2(const char *, int);
int	__openat_2(int, const char *, int);
int	__openat64_2(int, const char *, int);
ssize_t	__read_chk(int, void *, size_t, size_t);
ssize_t	__pread_chk(int, void *, size_t, off_t, size_t);
ssize_t	__pread64_chk(int, void *, size_t, off64_t, size_t);
ssize_t	__recv_chk(int, void *, size_t, size_t, int);
ssize_t	__recvfrom_chk(int, void *, size_t, size_t, int, struct sockaddr *,
	    socklen_t *);

/* Bad addresses are reported by the kernel; the provider must not fault. */
static void
bad_path(void)
{
	char *bad = nowhere(), *argv[] = { "x", NULL };
	int self = open("/proc/self/exe", O_RDONLY);
	pid_t pid;

	FAILS(open(bad, 0), EFAULT);
	FAILS(open(bad, O_CREAT, 0600), EFAULT);
	/* The flags are checked before the path is read. */
	FAILS(open(bad, O_TMPFILE, 0600), EINVAL);
	FAILS(open64(bad, 0), EFAULT);
	FAILS(openat(AT_FDCWD, bad, 0), EFAULT);
	FAILS(openat64(AT_FDCWD, bad, 0), EFAULT);
	FAILS(creat(bad, 0600), EFAULT);
	FAILS(creat64(bad, 0600), EFAULT);
	FAILS(__open_2(bad, 0), EFAULT);
	FAILS(__open64_2(bad, 0), EFAULT);
	FAILS(__openat_2(AT_FDCWD, bad, 0), EFAULT);
	FAILS(__openat64_2(AT_FDCWD, bad, 0), EFAULT);
	FAILS(execve(bad, argv, environ), EFAULT);
	FAILS(execve("/bin/true", nowhere(), environ), EFAULT);
	FAILS(execve("/bin/true", argv, nowhere()), EFAULT);
	FAILS(execv(bad, argv), EFAULT);
	FAILS(execl(bad, "x", NULL), EFAULT);
	FAILS(execle(bad, "x", NULL, environ), EFAULT);
	FAILS(execle("/bin/true", "x", NULL, nowhere()), EFAULT);
	FAILS(fexecve(self, nowhere(), environ), EFAULT);
	FAILS(execveat(AT_FDCWD, bad, argv, environ, 0), EFAULT);
	EXPECT(posix_spawn(&pid, bad, NULL, NULL, argv, environ), EFAULT);
	EXPECT(posix_spawn(NULL, "/bin/true", NULL, NULL, argv, nowhere()),
	    EFAULT);
	EXPECT(posix_spawnp(NULL, "true", NULL, NULL, argv, nowhere()),
	    EFAULT);
	close(self);
}

static void
bad_buffer(void)
{
	void *bad = nowhere();
	int fd = open("/proc/self/exe", O_RDONLY), fds[2];

	EXPECT(pipe(fds), 0);
	FAILS(read(fd, bad, 1), EFAULT);
	FAILS(pread(fd, bad, 1, 0), EFAULT);
	FAILS(pread64(fd, bad, 1, 0), EFAULT);
	FAILS(__read_chk(fd, bad, 1, 1), EFAULT);
	FAILS(__pread_chk(fd, bad, 1, 0, 1), EFAULT);
	FAILS(__pread64_chk(fd, bad, 1, 0, 1), EFAULT);
	FAILS(write(fds[1], bad, 1), EFAULT);
	close(fd);
	close(fds[0]);
	close(fds[1]);
	fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	if (fd == -1)
		return;
	FAILS(pwrite(fd, bad, 1, 0), EFAULT);
	FAILS(pwrite64(fd, bad, 1, 0), EFAULT);
	close(fd);
}

static void
bad_message(void)
{
	void *bad = nowhere();
	socklen_t length = sizeof(struct sockaddr_un);
	char byte = 'x';
	int s[2];

	EXPECT(socketpair(AF_UNIX, SOCK_DGRAM, 0, s), 0);
	EXPECT(write(s[0], &byte, 1), 1);
	FAILS(connect(s[0], bad, length), EFAULT);
	FAILS(send(s[0], bad, 1, 0), EFAULT);
	FAILS(sendto(s[0], bad, 1, 0, NULL, 0), EFAULT);
	FAILS(sendto(s[0], &byte, 1, 0, bad, length), EFAULT);
	FAILS(sendmsg(s[0], bad, 0), EFAULT);
	FAILS(recvmsg(s[1], bad, 0), EFAULT);
	FAILS(recv(s[1], bad, 1, MSG_PEEK), EFAULT);
	FAILS(__recv_chk(s[1], bad, 1, 1, MSG_PEEK), EFAULT);
	FAILS(recvfrom(s[1], bad, 1, MSG_PEEK, NULL, NULL), EFAULT);
	FAILS(recvfrom(s[1], &byte, 1, MSG_PEEK, bad, bad), EFAULT);
	FAILS(__recvfrom_chk(s[1], bad, 1, 1, MSG_PEEK, NULL, NULL), EFAULT);
	close(s[0]);
	close(s[1]);
}

/* Each accept with a bad address takes one connection, so there are two. */
static void
bad_peer(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	/* With this length the kernel chooses a name. */
	socklen_t length = sizeof(address.sun_family);
	int server = socket(AF_UNIX, SOCK_STREAM, 0), client[2], i;

	EXPECT(bind(server, (struct sockaddr *)&address, length), 0);
	EXPECT(listen(server, 2), 0);
	length = sizeof(address);
	EXPECT(getsockname(server, (struct sockaddr *)&address, &length), 0);
	for (i = 0; i < 2; i++) {
		client[i] = socket(AF_UNIX, SOCK_STREAM, 0);
		EXPECT(connect(client[i], (struct sockaddr *)&address,
		    length), 0);
	}
	FAILS(accept(server, nowhere(), nowhere()), EFAULT);
	FAILS(accept4(server, nowhere(), nowhere(), 0), EFAULT);
	close(client[0]);
	close(client[1]);
	close(server);
}

static void
case_bad_address(void)
{
	bad_path();
	bad_buffer();
	bad_message();
	bad_peer();
}

/* The mode of a variadic open reaches the kernel. */
static void
case_open_mode(void)
{
	char path[256];
	struct stat st;
	int fd;

	umask(0);
	EXPECT(close(temporary(path)), 0);
	unlink(path);
	fd = open(path, O_CREAT | O_WRONLY, 0641);
	EXPECT(fstat(fd, &st), 0);
	EXPECT(st.st_mode & 07777, 0641);
	close(fd);
	unlink(path);
	fd = openat64(AT_FDCWD, path, O_CREAT | O_WRONLY, 0614);
	EXPECT(fstat(fd, &st), 0);
	EXPECT(st.st_mode & 07777, 0614);
	close(fd);
	unlink(path);
	fd = open64("/tmp", O_TMPFILE | O_RDWR, 0604);
	if (fd == -1)
		return;
	EXPECT(fstat(fd, &st), 0);
	EXPECT(st.st_mode & 07777, 0604);
	close(fd);
}

/* Makes calls with all argument values; the script has the expected lines. */
static void
case_tell(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	char buf[8];
	int fd, n;

	fd = open("/dev/zero", O_RDWR | O_CLOEXEC);
	n = dup2(fd, 20);
	close(fd);
	EXPECT(read(n, buf, 8), 8);
	EXPECT(pread(n, buf, 3, 5), 3);
	EXPECT(write(n, buf, 4), 4);
	EXPECT(close(n), 0);
	EXPECT(close(n), -1);
	EXPECT(open("/nowhere/at/all", O_RDONLY), -1);
	free(malloc(12345));
	free(reallocarray(calloc(3, 50), 7, 90));
	EXPECT(socket(AF_UNIX, -1, 7), -1);
	EXPECT(pthread_mutex_lock(&mutex), 0);
	EXPECT(pthread_mutex_trylock(&mutex), EBUSY);
	EXPECT(pthread_mutex_unlock(&mutex), 0);
	if (fork() == 0)
		_exit(3);
	wait(NULL);
}

static void *
wait_for_mutex(void *mutex)
{
	EXPECT(pthread_mutex_lock(mutex), 0);
	EXPECT(pthread_mutex_unlock(mutex), 0);
	return (NULL);
}

/* Returns true if this thread of the process sleeps. */
static bool
is_asleep(pid_t tid)
{
	char path[64], text[512], *p;
	FILE *file;
	bool asleep;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
	if ((file = fopen(path, "r")) == NULL)
		return (false);
	p = fgets(text, sizeof(text), file);
	fclose(file);
	asleep = p != NULL && (p = strrchr(text, ')')) != NULL && p[2] == 'S';
	return (asleep);
}

/* Returns the only other thread of this process. */
static pid_t
other_thread(void)
{
	FILE *file = popen("ls /proc/$PPID/task", "r");
	pid_t other = 0;
	int tid;

	while (fscanf(file, "%d", &tid) == 1)
		if (tid != getpid())
			other = tid;
	pclose(file);
	return (other);
}

/* The second lock waits while the mutex is held, so its return is late. */
static void
case_contended(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_t thread;
	pid_t tid;

	EXPECT(pthread_mutex_lock(&mutex), 0);
	EXPECT(pthread_create(&thread, NULL, wait_for_mutex, &mutex), 0);
	tid = other_thread();
	while (!is_asleep(tid))
		sched_yield();
	EXPECT(pthread_mutex_unlock(&mutex), 0);
	EXPECT(pthread_join(thread, NULL), 0);
}

/* Each kind of mutex returns the same errors as without the provider. */
static void
case_mutex_kinds(void)
{
	const struct timespec past = { 0, 0 };
	pthread_mutexattr_t attr;
	pthread_mutex_t mutex;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&mutex, &attr);
	EXPECT(pthread_mutex_unlock(&mutex), EPERM);
	EXPECT(pthread_mutex_lock(&mutex), 0);
	EXPECT(pthread_mutex_lock(&mutex), EDEADLK);
	EXPECT(pthread_mutex_trylock(&mutex), EBUSY);
	EXPECT(pthread_mutex_unlock(&mutex), 0);
	EXPECT(pthread_mutex_clocklock(&mutex, CLOCK_PROCESS_CPUTIME_ID,
	    &past), EINVAL);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&mutex, &attr);
	EXPECT(pthread_mutex_lock(&mutex), 0);
	EXPECT(pthread_mutex_lock(&mutex), 0);
	EXPECT(pthread_mutex_unlock(&mutex), 0);
	EXPECT(pthread_mutex_unlock(&mutex), 0);
	EXPECT(pthread_mutex_unlock(&mutex), EPERM);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_NORMAL);
	pthread_mutex_init(&mutex, &attr);
	EXPECT(pthread_mutex_timedlock(&mutex, &past), 0);
	EXPECT(pthread_mutex_timedlock(&mutex, &past), ETIMEDOUT);
	EXPECT(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &past),
	    ETIMEDOUT);
	EXPECT(pthread_mutex_unlock(&mutex), 0);
}

static sem_t started, go;
static volatile bool cleaned;

static void
clean(void *unused)
{
	(void)unused;
	cleaned = true;
}

static void *
read_for_ever(void *fd)
{
	char byte;
	int old;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	pthread_cleanup_push(clean, NULL);
	sem_post(&started);
	sem_wait(&go);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
	(void)!read(*(int *)fd, &byte, 1);
	pthread_cleanup_pop(0);
	return (NULL);
}

/* read() is a cancellation point, before and while it waits. */
static void
cancel_one(bool waits)
{
	pthread_t thread;
	void *result;
	int fds[2];
	pid_t tid;

	cleaned = false;
	EXPECT(pipe(fds), 0);
	EXPECT(sem_init(&started, 0, 0), 0);
	EXPECT(sem_init(&go, 0, 0), 0);
	EXPECT(pthread_create(&thread, NULL, read_for_ever, &fds[0]), 0);
	sem_wait(&started);
	if (waits) {
		tid = other_thread();
		sem_post(&go);
		while (!is_asleep(tid))
			sched_yield();
	}
	EXPECT(pthread_cancel(thread), 0);
	if (!waits)
		sem_post(&go);
	EXPECT(pthread_join(thread, &result), 0);
	EXPECT(result == PTHREAD_CANCELED, 1);
	EXPECT(cleaned, true);
	close(fds[0]);
	close(fds[1]);
}

static void
case_cancel(void)
{
	cancel_one(false);
	cancel_one(true);
}

static sigjmp_buf back;

static void
jump(int sig)
{
	siglongjmp(back, sig);
}

/* A handler may leave a call by a jump, and may make calls itself. */
static void
case_longjmp(void)
{
	char byte, stack[16384];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = jump,
	    .sa_flags = SA_ONSTACK };
	int fds[2], i;

	EXPECT(sigaltstack(&alternate, NULL), 0);
	EXPECT(sigaction(SIGALRM, &action, NULL), 0);
	EXPECT(pipe(fds), 0);
	for (i = 0; i < 20; i++) {
		if (sigsetjmp(back, 1) == 0) {
			ualarm(1000, 0);
			for (;;)
				(void)!read(fds[0], &byte, 1);
		}
		free(malloc(100));
	}
}

static int noise;

static void
make_noise(int sig)
{
	int error = errno, fd = open("/dev/null", O_WRONLY);

	(void)sig;
	(void)!write(fd, "x", 1);
	(void)!read(noise, NULL, 0);
	close(fd);
	errno = error;
}

static void
churn(unsigned seed)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	unsigned char *p;
	size_t size;
	int i, fd;

	for (i = 0; i < 300; i++) {
		size = 1 + rand_r(&seed) % 5000;
		p = malloc(size);
		memset(p, i, size);
		pthread_mutex_lock(&mutex);
		p = realloc(p, size * 2);
		pthread_mutex_unlock(&mutex);
		EXPECT(p[size - 1], i & 0xff);
		free(p);
		fd = open("/dev/zero", O_RDONLY);
		EXPECT(fd >= 0, 1);
		EXPECT(read(fd, &size, sizeof(size)), sizeof(size));
		EXPECT(close(fd), 0);
	}
}

static void *
churn_thread(void *seed)
{
	churn((unsigned)(uintptr_t)seed);
	return (NULL);
}

/*
 * vfork() has a function of its own, because values in registers may be lost.
 */
static __attribute__((noinline))
pid_t
spawn_by_vfork(char *const argv[])
{
	pid_t pid = vfork();

	if (pid == 0) {
		execv("/bin/true", argv);
		_exit(127);
	}
	return (pid);
}

static void
fork_some(int n)
{
	char *argv[] = { "true", NULL };
	int i, status;
	pid_t pid;

	for (i = 0; i < n; i++) {
		if ((pid = fork()) == 0) {
			free(malloc(100));
			_exit(7);
		}
		EXPECT(waitpid(pid, &status, 0), pid);
		EXPECT(WEXITSTATUS(status), 7);
		EXPECT(posix_spawnp(&pid, "true", NULL, NULL, argv, environ),
		    0);
		EXPECT(waitpid(pid, &status, 0), pid);
		EXPECT(status, 0);
		pid = spawn_by_vfork(argv);
		EXPECT(waitpid(pid, &status, 0), pid);
		EXPECT(status, 0);
	}
}

/* Runs threads, children and a storm of signals at once. */
static void
case_storm(void)
{
	struct sigaction action = { .sa_handler = make_noise,
	    .sa_flags = SA_RESTART };
	pthread_t threads[8];
	size_t i, j;

	noise = open("/dev/null", O_RDONLY);
	EXPECT(sigaction(SIGUSR1, &action, NULL), 0);
	for (i = 0; i < LENGTH(threads); i++)
		EXPECT(pthread_create(&threads[i], NULL, churn_thread,
		    (void *)(i + 1)), 0);
	for (j = 0; j < 50; j++)
		for (i = 0; i < LENGTH(threads); i++)
			pthread_kill(threads[i], SIGUSR1);
	fork_some(10);
	for (i = 0; i < LENGTH(threads); i++)
		EXPECT(pthread_join(threads[i], NULL), 0);
}

/* exec passes arguments and environment on. */
static void
case_exec(void)
{
	char *environment[] = { "WHAT=environment", NULL };
	char *argv[] = { "sh", "-c", "echo $WHAT again", NULL };

	if (fork() == 0)
		execl("/bin/echo", "echo", "one", "two", "three", NULL);
	wait(NULL);
	if (fork() == 0)
		execlp("echo", "echo", NULL);
	wait(NULL);
	if (fork() == 0)
		execle("/bin/sh", "sh", "-c", "echo $WHAT $0 $1", "zero",
		    "one", NULL, environment);
	wait(NULL);
	if (fork() == 0)
		execveat(AT_FDCWD, "/bin/sh", argv, environment, 0);
	wait(NULL);
}

/* The calls within daemon(3), which the provider makes, are not traced. */
static void
case_daemon(void)
{
	int fds[2];
	char byte;

	EXPECT(pipe(fds), 0);
	if (fork() == 0) {
		EXPECT(daemon(0, 0), 0);
		_exit(9);
	}
	close(fds[1]);
	/* The pipe ends when the last process has ended. */
	EXPECT(read(fds[0], &byte, 1), 0);
	wait(NULL);
}

/* dlerror(3) returns no error of the provider's. */
static void
case_dlerror(void)
{
	const char *error = dlerror();

	if (error == NULL)
		return;
	fprintf(stderr, "dlerror: %s\n", error);
	_exit(1);
}

/* Ends by return from main; exit handlers still run. */
static void
case_return(void)
{
}

static void
case_exit(void)
{
	exit(0);
}

static void
case_quick_exit(void)
{
	quick_exit(0);
}

/* Sends a line to a server on a Unix socket and prints the answer. */
static int
talk(const char *path, const char *line)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char buf[4096];
	ssize_t n;
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
		perror(path);
		return (1);
	}
	if (write(fd, line, strlen(line)) != (ssize_t)strlen(line))
		return (1);
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		(void)!write(STDOUT_FILENO, buf, (size_t)n);
	close(fd);
	return (0);
}

/* Leaves only descriptors 0 to 2 open, as the test has fixed numbers. */
static void
fixed_descriptors(void)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR);

	while (fd >= 0 && fd <= STDERR_FILENO)
		fd = (int)syscall(SYS_dup, fd);
	syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0);
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {
		{ "errno_kept", case_errno_kept },
		{ "errno_told", case_errno_told },
		{ "bad_address", case_bad_address },
		{ "open_mode", case_open_mode },
		{ "tell", case_tell },
		{ "contended", case_contended },
		{ "mutex_kinds", case_mutex_kinds },
		{ "cancel", case_cancel },
		{ "longjmp", case_longjmp },
		{ "storm", case_storm },
		{ "exec", case_exec },
		{ "daemon", case_daemon },
		{ "dlerror", case_dlerror },
		{ "return", case_return },
		{ "exit", case_exit },
		{ "quick_exit", case_quick_exit },
	};
	size_t i;

	if (argc == 4 && strcmp(argv[1], "talk") == 0)
		return (talk(argv[2], argv[3]));
	fixed_descriptors();
	for (i = 0; argc == 2 && i < LENGTH(cases); i++) {
		if (strcmp(argv[1], cases[i].name) == 0) {
			cases[i].run();
			return (0);
		}
	}
	fprintf(stderr, "usage: provider_cases CASE\n");
	return (2);
}
