/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The names that every program knows: built-in variables with their type,
 * functions with their prototype, and the version that added them.
 *
 * In a prototype @ is any type, [T] is optional, and ... is any more arguments.
 */
#ifndef D_BUILTINS_H
#define D_BUILTINS_H

#define D_VARIABLES(X)							\
	X(arg0, 1, 0, "int64_t")					\
	X(arg1, 1, 0, "int64_t")					\
	X(arg2, 1, 0, "int64_t")					\
	X(arg3, 1, 0, "int64_t")					\
	X(arg4, 1, 0, "int64_t")					\
	X(arg5, 1, 0, "int64_t")					\
	X(arg6, 1, 0, "int64_t")					\
	X(arg7, 1, 0, "int64_t")					\
	X(arg8, 1, 0, "int64_t")					\
	X(arg9, 1, 0, "int64_t")					\
	X(caller, 1, 0, "uintptr_t")					\
	X(cpu, 1, 0, "int")						\
	X(curcpu, 1, 0, "cpuinfo_t *")					\
	X(curthread, 1, 0, "struct task_struct *")			\
	X(epid, 1, 0, "uint_t")						\
	X(errno, 1, 0, "int")						\
	X(execargs, 1, 0, "string")					\
	X(execname, 1, 0, "string")					\
	X(gid, 1, 0, "gid_t")						\
	X(id, 1, 0, "uint_t")						\
	X(ipl, 1, 0, "uint_t")						\
	X(pid, 1, 0, "pid_t")						\
	X(ppid, 1, 0, "pid_t")						\
	X(probefunc, 1, 0, "string")					\
	X(probemod, 1, 0, "string")					\
	X(probename, 1, 0, "string")					\
	X(probeprov, 1, 0, "string")					\
	X(stackdepth, 1, 0, "uint32_t")					\
	X(tid, 1, 0, "id_t")						\
	X(timestamp, 1, 0, "uint64_t")					\
	X(ucaller, 1, 2, "uint64_t")					\
	X(uid, 1, 0, "uid_t")						\
	X(ustackdepth, 1, 2, "uint32_t")				\
	X(vtimestamp, 1, 0, "uint64_t")					\
	X(walltimestamp, 1, 0, "int64_t")

#define D_FUNCTIONS(X)							\
	X(alloca, 1, 0, "void *(size_t)")				\
	X(basename, 1, 0, "string(const char *)")			\
	X(bcopy, 1, 0, "void(void *, void *, size_t)")			\
	X(cleanpath, 1, 0, "string(const char *)")			\
	X(copyin, 1, 0, "void *(uintptr_t, size_t)")			\
	X(copyinstr, 1, 0, "string(uintptr_t, [size_t])")		\
	X(copyinto, 1, 0, "void(uintptr_t, size_t, void *)")		\
	X(copyout, 1, 0, "void(void *, uintptr_t, size_t)")		\
	X(copyoutstr, 1, 0, "void(char *, uintptr_t, size_t)")		\
	X(d_path, 1, 0, "string(struct path *)")			\
	X(ddi_pathname, 1, 0, "string(void *, int64_t)")		\
	X(dirname, 1, 0, "string(const char *)")			\
	X(getmajor, 1, 0, "dev_t(dev_t)")				\
	X(getminor, 1, 0, "dev_t(dev_t)")				\
	X(htonl, 1, 3, "uint32_t(uint32_t)")				\
	X(htonll, 1, 3, "uint64_t(uint64_t)")				\
	X(htons, 1, 3, "uint16_t(uint16_t)")				\
	X(index, 1, 1, "int(const char *, const char *, [int])")	\
	X(inet_ntoa, 1, 5, "string(ipaddr_t *)")			\
	X(inet_ntoa6, 1, 5, "string(struct in6_addr *, [int])")		\
	X(inet_ntop, 1, 5, "string(int, void *)")			\
	X(link_ntop, 1, 5, "string(int, void *)")			\
	X(json, 1, 0, "string(const char *, const char *)")		\
	X(lltostr, 1, 0, "string(int64_t, [int])")			\
	X(msgdsize, 1, 0, "size_t(mblk_t *)")				\
	X(msgsize, 1, 0, "size_t(mblk_t *)")				\
	X(mutex_owned, 1, 0, "int(struct mutex *)")			\
	X(mutex_owner, 1, 0, "struct task_struct *(struct mutex *)")	\
	X(mutex_type_adaptive, 1, 0, "int(struct mutex *)")		\
	X(mutex_type_spin, 1, 0, "int(struct mutex *)")			\
	X(ntohl, 1, 3, "uint32_t(uint32_t)")				\
	X(ntohll, 1, 3, "uint64_t(uint64_t)")				\
	X(ntohs, 1, 3, "uint16_t(uint16_t)")				\
	X(progenyof, 1, 0, "int(pid_t)")				\
	X(rand, 1, 0, "int()")						\
	X(rindex, 1, 1, "int(const char *, const char *, [int])")	\
	X(rw_iswriter, 1, 0, "int(rwlock_t *)")				\
	X(rw_read_held, 1, 0, "int(rwlock_t *)")			\
	X(rw_write_held, 1, 0, "int(rwlock_t *)")			\
	X(speculation, 1, 0, "int()")					\
	X(strchr, 1, 1, "string(const char *, char)")			\
	X(strjoin, 1, 0, "string(const char *, const char *)")		\
	X(strlen, 1, 0, "size_t(const char *)")				\
	X(strrchr, 1, 1, "string(const char *, char)")			\
	X(strstr, 1, 1, "string(const char *, const char *)")		\
	X(strtok, 1, 1, "string(const char *, const char *)")		\
	X(strtoll, 2, 0, "int64_t(const char *, [int])")		\
	X(substr, 1, 1, "string(const char *, int, [int])")		\
	X(tolower, 1, 0, "string(const char *)")			\
	X(toupper, 1, 0, "string(const char *)")

#define D_AGGREGATING(X)						\
	X(avg, 1, 0, "void(@)")						\
	X(count, 1, 0, "void()")					\
	X(llquantize, 1, 6,						\
	    "void(@, int32_t, int32_t, int32_t, int32_t, ...)")		\
	X(lquantize, 1, 0, "void(@, int32_t, int32_t, ...)")		\
	X(max, 1, 0, "void(@)")						\
	X(min, 1, 0, "void(@)")						\
	X(quantize, 1, 0, "void(@, ...)")				\
	X(stddev, 1, 6, "void(@)")					\
	X(sum, 1, 0, "void(@)")

#define D_ACTIONS(X)							\
	X(breakpoint, 1, 0, "void()")					\
	X(chill, 1, 0, "void(int)")					\
	X(clear, 1, 0, "void(...)")					\
	X(commit, 1, 0, "void(int)")					\
	X(denormalize, 1, 0, "void(...)")				\
	X(discard, 1, 0, "void(int)")					\
	X(exit, 1, 0, "void(int)")					\
	X(freopen, 1, 1, "void(@, ...)")				\
	X(ftruncate, 1, 0, "void()")					\
	X(func, 1, 2, "_symaddr(uintptr_t)")				\
	X(jstack, 1, 0, "stack([uint32_t], [uint32_t])")		\
	X(mod, 1, 2, "_symaddr(uintptr_t)")				\
	X(normalize, 1, 0, "void(...)")					\
	X(panic, 1, 0, "void()")					\
	X(pcap, 1, 6, "void(void *, int)")				\
	X(print, 2, 0, "void(@)")					\
	X(printa, 1, 0, "void(@, ...)")					\
	X(printf, 1, 0, "void(string, ...)")				\
	X(raise, 1, 0, "void(int)")					\
	X(record, 2, 0, "void()")					\
	X(setopt, 1, 2, "void(const char *, [const char *])")		\
	X(speculate, 1, 0, "void(int)")					\
	X(stack, 1, 0, "stack([uint32_t])")				\
	X(stop, 1, 0, "void()")						\
	X(sym, 1, 2, "_symaddr(uintptr_t)")				\
	X(system, 1, 0, "void(@, ...)")					\
	X(trace, 1, 0, "void(@)")					\
	X(tracemem, 1, 0, "void(@, size_t, [size_t])")			\
	X(trunc, 1, 0, "void(...)")					\
	X(uaddr, 1, 2, "_usymaddr(uintptr_t)")				\
	X(ufunc, 1, 2, "_usymaddr(uintptr_t)")				\
	X(umod, 1, 2, "_usymaddr(uintptr_t)")				\
	X(ustack, 1, 0, "stack([uint32_t], [uint32_t])")		\
	X(usym, 1, 2, "_usymaddr(uintptr_t)")

/* Actions with these names only where they are called: programs have others. */
#define D_CALLED(X)							\
	X(snapshot, 2, 0, "void()")

/* For the translators of psinfo_t, lwpsinfo_t and fileinfo_t. */
#define D_PROCESS(X)							\
	X(process, argc, SCALAR, "int")					\
	X(process, argv, SCALAR, "uintptr_t")				\
	X(process, envp, SCALAR, "uintptr_t")				\
	X(process, euid, SCALAR, "uid_t")				\
	X(process, egid, SCALAR, "gid_t")				\
	X(process, pgid, SCALAR, "pid_t")				\
	X(process, sid, SCALAR, "pid_t")				\
	X(process, threads, SCALAR, "int")				\
	X(process, terminal, SCALAR, "dev_t")				\
	X(process, priority, SCALAR, "int")				\
	X(file, text, FUNCTION, "string(int, int)")			\
	X(file, number, FUNCTION, "int64_t(int, int)")

enum builtin {
	BUILTIN_NONE,
#define X(name, major, minor, prototype)	BUILTIN_##name,
	D_VARIABLES(X)
	D_FUNCTIONS(X)
	D_AGGREGATING(X)
	D_ACTIONS(X)
	D_CALLED(X)
#undef X
	BUILTIN_args,
	BUILTIN_uregs,
	BUILTIN_self,
	BUILTIN_this,
#define X(module, name, kind, prototype)	BUILTIN_##module##_##name,
	D_PROCESS(X)
#undef X
};

/* D source that is compiled before any program: types and constants. */
extern const char d_prelude[];
/* D source of types that a program may declare differently. */
extern const char d_kernel[];

#endif
