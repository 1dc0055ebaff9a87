/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The functions of the libc provider, by family: X(name, entry, leave), as in
 * struct libc_row.  tbufctl reads them, too, to know the probes of a command
 * before it runs.
 */
#ifndef PROVIDERS_LIBC_FUNCTIONS_H
#define PROVIDERS_LIBC_FUNCTIONS_H

/* Returns' arguments of most functions. */
#define INT_OR_ERRNO		"result:i32 errno:i32"
#define SIZE_OR_ERRNO		"result:i64 errno:i32"
#define POINTER_OR_ERRNO	"result:ptr errno:i32"

#define MEMORY_FUNCTIONS(ROW)						\
	ROW(malloc, "size:u64", POINTER_OR_ERRNO)			\
	ROW(calloc, "nmemb:u64 size:u64", POINTER_OR_ERRNO)		\
	ROW(realloc, "ptr:ptr size:u64", POINTER_OR_ERRNO)		\
	ROW(reallocarray, "ptr:ptr nmemb:u64 size:u64",			\
	    POINTER_OR_ERRNO)						\
	ROW(free, "ptr:ptr", "")					\
	ROW(posix_memalign, "memptr:ptr alignment:u64 size:u64",	\
	    "result:i32 ptr:ptr")					\
	ROW(aligned_alloc, "alignment:u64 size:u64", POINTER_OR_ERRNO)	\
	ROW(memalign, "alignment:u64 size:u64", POINTER_OR_ERRNO)	\
	ROW(valloc, "size:u64", POINTER_OR_ERRNO)			\
	ROW(pvalloc, "size:u64", POINTER_OR_ERRNO)

#define FILE_FUNCTIONS(ROW)						\
	ROW(open, "path:ptr flags:i32 mode:u32",			\
	    "result:i32 errno:i32 path:str")				\
	ROW(open64, "path:ptr flags:i32 mode:u32",			\
	    "result:i32 errno:i32 path:str")				\
	ROW(openat, "dirfd:i32 path:ptr flags:i32 mode:u32",		\
	    "result:i32 errno:i32 path:str")				\
	ROW(openat64, "dirfd:i32 path:ptr flags:i32 mode:u32",		\
	    "result:i32 errno:i32 path:str")				\
	ROW(creat, "path:ptr mode:u32",					\
	    "result:i32 errno:i32 path:str")				\
	ROW(creat64, "path:ptr mode:u32",				\
	    "result:i32 errno:i32 path:str")				\
	ROW(close, "fd:i32", INT_OR_ERRNO)				\
	ROW(read, "fd:i32 buf:ptr count:u64", SIZE_OR_ERRNO)		\
	ROW(pread, "fd:i32 buf:ptr count:u64 offset:i64",		\
	    SIZE_OR_ERRNO)						\
	ROW(pread64, "fd:i32 buf:ptr count:u64 offset:i64",		\
	    SIZE_OR_ERRNO)						\
	ROW(write, "fd:i32 buf:ptr count:u64", SIZE_OR_ERRNO)		\
	ROW(pwrite, "fd:i32 buf:ptr count:u64 offset:i64",		\
	    SIZE_OR_ERRNO)						\
	ROW(pwrite64, "fd:i32 buf:ptr count:u64 offset:i64",		\
	    SIZE_OR_ERRNO)						\
	ROW(fsync, "fd:i32", INT_OR_ERRNO)				\
	ROW(fdatasync, "fd:i32", INT_OR_ERRNO)				\
	ROW(__open_2, NULL, NULL)					\
	ROW(__open64_2, NULL, NULL)					\
	ROW(__openat_2, NULL, NULL)					\
	ROW(__openat64_2, NULL, NULL)					\
	ROW(__read_chk, NULL, NULL)					\
	ROW(__pread_chk, NULL, NULL)					\
	ROW(__pread64_chk, NULL, NULL)

#define SOCKET_FUNCTIONS(ROW)						\
	ROW(socket, "domain:i32 type:i32 protocol:i32", INT_OR_ERRNO)	\
	ROW(connect, "fd:i32 addr:ptr addrlen:u32", INT_OR_ERRNO)	\
	ROW(accept, "fd:i32 addr:ptr addrlen:ptr", INT_OR_ERRNO)	\
	ROW(accept4, "fd:i32 addr:ptr addrlen:ptr flags:i32",		\
	    INT_OR_ERRNO)						\
	ROW(send, "fd:i32 buf:ptr len:u64 flags:i32", SIZE_OR_ERRNO)	\
	ROW(sendto,							\
	    "fd:i32 buf:ptr len:u64 flags:i32 addr:ptr addrlen:u32",	\
	    SIZE_OR_ERRNO)						\
	ROW(sendmsg, "fd:i32 msg:ptr flags:i32", SIZE_OR_ERRNO)		\
	ROW(recv, "fd:i32 buf:ptr len:u64 flags:i32", SIZE_OR_ERRNO)	\
	ROW(recvfrom,							\
	    "fd:i32 buf:ptr len:u64 flags:i32 addr:ptr addrlen:ptr",	\
	    SIZE_OR_ERRNO)						\
	ROW(recvmsg, "fd:i32 msg:ptr flags:i32", SIZE_OR_ERRNO)		\
	ROW(__recv_chk, NULL, NULL)					\
	ROW(__recvfrom_chk, NULL, NULL)

#define THREAD_FUNCTIONS(ROW)						\
	ROW(pthread_mutex_lock, "mutex:ptr", "result:i32")		\
	ROW(pthread_mutex_trylock, "mutex:ptr", "result:i32")		\
	ROW(pthread_mutex_timedlock, "mutex:ptr abstime:ptr",		\
	    "result:i32")						\
	ROW(pthread_mutex_clocklock, "mutex:ptr clock:i32 abstime:ptr",	\
	    "result:i32")						\
	ROW(pthread_mutex_unlock, "mutex:ptr", "result:i32")

#define PROCESS_FUNCTIONS(ROW)						\
	ROW(fork, "", INT_OR_ERRNO)					\
	ROW(execve, "path:ptr argv:ptr envp:ptr", INT_OR_ERRNO)		\
	ROW(execv, "path:ptr argv:ptr", INT_OR_ERRNO)			\
	ROW(execvp, "file:ptr argv:ptr", INT_OR_ERRNO)			\
	ROW(execvpe, "file:ptr argv:ptr envp:ptr", INT_OR_ERRNO)	\
	ROW(fexecve, "fd:i32 argv:ptr envp:ptr", INT_OR_ERRNO)		\
	ROW(execveat, "dirfd:i32 path:ptr argv:ptr envp:ptr flags:i32",	\
	    INT_OR_ERRNO)						\
	ROW(execl, "path:ptr", INT_OR_ERRNO)				\
	ROW(execlp, "file:ptr", INT_OR_ERRNO)				\
	ROW(execle, "path:ptr", INT_OR_ERRNO)				\
	ROW(posix_spawn,						\
	    "pid:ptr path:ptr file_actions:ptr attr:ptr argv:ptr envp:ptr",\
	    "result:i32 pid:i32 path:str")				\
	ROW(posix_spawnp,						\
	    "pid:ptr file:ptr file_actions:ptr attr:ptr argv:ptr envp:ptr",\
	    "result:i32 pid:i32 file:str")				\
	ROW(exit, "status:i32", NULL)					\
	ROW(quick_exit, "status:i32", NULL)				\
	ROW(_exit, "status:i32", NULL)					\
	ROW(_Exit, "status:i32", NULL)					\
	ROW(daemon, NULL, NULL)						\
	ROW(setsid, NULL, NULL)

/* The other probes: X(number, function, name, arguments). */
#define THREAD_EVENTS(EVENT)						\
	EVENT(LOCK_CONTENDED, pthread_mutex_lock, "contended", "mutex:ptr")\
	EVENT(LOCK_ACQUIRED, pthread_mutex_lock, "acquired", "mutex:ptr")\
	EVENT(TRYLOCK_ACQUIRED, pthread_mutex_trylock, "acquired",	\
	    "mutex:ptr")						\
	EVENT(TIMEDLOCK_CONTENDED, pthread_mutex_timedlock, "contended",\
	    "mutex:ptr")						\
	EVENT(TIMEDLOCK_ACQUIRED, pthread_mutex_timedlock, "acquired",	\
	    "mutex:ptr")						\
	EVENT(CLOCKLOCK_CONTENDED, pthread_mutex_clocklock, "contended",\
	    "mutex:ptr")						\
	EVENT(CLOCKLOCK_ACQUIRED, pthread_mutex_clocklock, "acquired",	\
	    "mutex:ptr")

#endif
