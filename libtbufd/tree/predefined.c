/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Predefined constants: inlines, as in D's libraries.  A table compiles faster
 * than as many lines of D.
 */
#include <errno.h>
#include <fcntl.h>

#include "compiler.h"
#include "identifiers.h"
#include "tree.h"

/* A constant of C, with its value on this architecture. */
#define OF_C(name)	{ #name, name }

static const struct {
	const char *name;
	int value;
} constants[] = {
	/* Values of arg4 of ERROR. */
	{ "DTRACEFLT_UNKNOWN", 0 }, { "DTRACEFLT_BADADDR", 1 },
	{ "DTRACEFLT_BADALIGN", 2 }, { "DTRACEFLT_ILLOP", 3 },
	{ "DTRACEFLT_DIVZERO", 4 }, { "DTRACEFLT_NOSCRATCH", 5 },
	{ "DTRACEFLT_KPRIV", 6 }, { "DTRACEFLT_UPRIV", 7 },
	{ "DTRACEFLT_TUPOFLOW", 8 }, { "DTRACEFLT_BADSTACK", 9 },
	{ "DTRACEFLT_BADSIZE", 10 }, { "DTRACEFLT_BADINDEX", 11 },
	{ "DTRACEFLT_LIBRARY", 12 },

	/* Networks. */
	{ "AF_UNIX", 1 }, { "AF_INET", 2 }, { "AF_INET6", 10 },
	{ "IPPROTO_IP", 0 }, { "IPPROTO_HOPOPTS", 0 }, { "IPPROTO_ICMP", 1 },
	{ "IPPROTO_IGMP", 2 }, { "IPPROTO_IPIP", 4 }, { "IPPROTO_TCP", 6 },
	{ "IPPROTO_EGP", 8 }, { "IPPROTO_PUP", 12 }, { "IPPROTO_UDP", 17 },
	{ "IPPROTO_IDP", 22 }, { "IPPROTO_TP", 29 }, { "IPPROTO_DCCP", 33 },
	{ "IPPROTO_IPV6", 41 }, { "IPPROTO_ROUTING", 43 },
	{ "IPPROTO_FRAGMENT", 44 }, { "IPPROTO_RSVP", 46 },
	{ "IPPROTO_GRE", 47 }, { "IPPROTO_ESP", 50 }, { "IPPROTO_AH", 51 },
	{ "IPPROTO_ICMPV6", 58 }, { "IPPROTO_NONE", 59 },
	{ "IPPROTO_DSTOPTS", 60 }, { "IPPROTO_OSPF", 89 },
	{ "IPPROTO_MTP", 92 }, { "IPPROTO_BEETPH", 94 },
	{ "IPPROTO_ENCAP", 98 }, { "IPPROTO_PIM", 103 },
	{ "IPPROTO_COMP", 108 }, { "IPPROTO_SCTP", 132 }, { "IPPROTO_MH", 135 },
	{ "IPPROTO_UDPLITE", 136 }, { "IPPROTO_RAW", 255 },
	{ "IPPROTO_MAX", 256 }, { "ARPHRD_ETHER", 1 },
	{ "ARPHRD_INFINIBAND", 32 },

	/* Processes: psinfo_t, lwpsinfo_t, and reasons of children's ends. */
	{ "PR_MODEL_ILP32", 1 }, { "PR_MODEL_LP64", 2 }, { "PR_STOPPED", 1 },
	{ "PR_ISTOP", 2 }, { "PR_DSTOP", 4 }, { "PR_IDLE", 0x10000000 },
	{ "SSLEEP", 1 }, { "SRUN", 2 }, { "SZOMB", 3 }, { "SSTOP", 4 },
	{ "SIDL", 5 }, { "SONPROC", 6 }, { "SWAIT", 7 },
	{ "CLD_EXITED", 1 }, { "CLD_KILLED", 2 }, { "CLD_DUMPED", 3 },
	{ "CLD_TRAPPED", 4 }, { "CLD_STOPPED", 5 }, { "CLD_CONTINUED", 6 },

	/* Flags of a bufinfo_t. */
	{ "B_BUSY", 1 }, { "B_DONE", 2 }, { "B_ERROR", 4 },
	{ "B_PAGEIO", 0x10 }, { "B_PHYS", 0x20 }, { "B_READ", 0x40 },
	{ "B_WRITE", 0x100 }, { "B_ASYNC", 0x400 },

	/* Flags of open(2). */
	OF_C(O_ACCMODE), OF_C(O_RDONLY), OF_C(O_WRONLY), OF_C(O_RDWR),
	OF_C(O_CREAT), OF_C(O_EXCL), OF_C(O_NOCTTY), OF_C(O_TRUNC),
	OF_C(O_APPEND), OF_C(O_NONBLOCK), OF_C(O_NDELAY), OF_C(O_SYNC),
	OF_C(O_FSYNC), OF_C(O_DSYNC), OF_C(O_RSYNC), OF_C(O_ASYNC),
	OF_C(O_DIRECTORY), OF_C(O_NOFOLLOW), OF_C(O_CLOEXEC),

	/* Values of errno. */
	OF_C(EPERM), OF_C(ENOENT), OF_C(ESRCH), OF_C(EINTR), OF_C(EIO),
	OF_C(ENXIO), OF_C(E2BIG), OF_C(ENOEXEC), OF_C(EBADF), OF_C(ECHILD),
	OF_C(EAGAIN), OF_C(EWOULDBLOCK), OF_C(ENOMEM), OF_C(EACCES),
	OF_C(EFAULT), OF_C(ENOTBLK), OF_C(EBUSY), OF_C(EEXIST), OF_C(EXDEV),
	OF_C(ENODEV), OF_C(ENOTDIR), OF_C(EISDIR), OF_C(EINVAL), OF_C(ENFILE),
	OF_C(EMFILE), OF_C(ENOTTY), OF_C(ETXTBSY), OF_C(EFBIG), OF_C(ENOSPC),
	OF_C(ESPIPE), OF_C(EROFS), OF_C(EMLINK), OF_C(EPIPE), OF_C(EDOM),
	OF_C(ERANGE), OF_C(EDEADLK), OF_C(EDEADLOCK), OF_C(ENAMETOOLONG),
	OF_C(ENOLCK), OF_C(ENOSYS), OF_C(ENOTEMPTY), OF_C(ELOOP), OF_C(ENOMSG),
	OF_C(EIDRM), OF_C(ECHRNG), OF_C(EL2NSYNC), OF_C(EL3HLT), OF_C(EL3RST),
	OF_C(ELNRNG), OF_C(EUNATCH), OF_C(ENOCSI), OF_C(EL2HLT), OF_C(EBADE),
	OF_C(EBADR), OF_C(EXFULL), OF_C(ENOANO), OF_C(EBADRQC), OF_C(EBADSLT),
	OF_C(EBFONT), OF_C(ENOSTR), OF_C(ENODATA), OF_C(ETIME), OF_C(ENOSR),
	OF_C(ENONET), OF_C(ENOPKG), OF_C(EREMOTE), OF_C(ENOLINK), OF_C(EADV),
	OF_C(ESRMNT), OF_C(ECOMM), OF_C(EPROTO), OF_C(EMULTIHOP), OF_C(EDOTDOT),
	OF_C(EBADMSG), OF_C(EOVERFLOW), OF_C(ENOTUNIQ), OF_C(EBADFD),
	OF_C(EREMCHG), OF_C(ELIBACC), OF_C(ELIBBAD), OF_C(ELIBSCN),
	OF_C(ELIBMAX), OF_C(ELIBEXEC), OF_C(EILSEQ), OF_C(ERESTART),
	OF_C(ESTRPIPE), OF_C(EUSERS), OF_C(ENOTSOCK), OF_C(EDESTADDRREQ),
	OF_C(EMSGSIZE), OF_C(EPROTOTYPE), OF_C(ENOPROTOOPT),
	OF_C(EPROTONOSUPPORT), OF_C(ESOCKTNOSUPPORT), OF_C(ENOTSUP),
	OF_C(EOPNOTSUPP), OF_C(EPFNOSUPPORT), OF_C(EAFNOSUPPORT),
	OF_C(EADDRINUSE), OF_C(EADDRNOTAVAIL), OF_C(ENETDOWN),
	OF_C(ENETUNREACH), OF_C(ENETRESET), OF_C(ECONNABORTED),
	OF_C(ECONNRESET), OF_C(ENOBUFS), OF_C(EISCONN), OF_C(ENOTCONN),
	OF_C(ESHUTDOWN), OF_C(ETOOMANYREFS), OF_C(ETIMEDOUT),
	OF_C(ECONNREFUSED), OF_C(EHOSTDOWN), OF_C(EHOSTUNREACH), OF_C(EALREADY),
	OF_C(EINPROGRESS), OF_C(ESTALE), OF_C(EUCLEAN), OF_C(ENOTNAM),
	OF_C(ENAVAIL), OF_C(EISNAM), OF_C(EREMOTEIO), OF_C(EDQUOT),
	OF_C(ENOMEDIUM), OF_C(EMEDIUMTYPE), OF_C(ECANCELED), OF_C(ENOKEY),
	OF_C(EKEYEXPIRED), OF_C(EKEYREVOKED), OF_C(EKEYREJECTED),
	OF_C(EOWNERDEAD), OF_C(ENOTRECOVERABLE), OF_C(ERFKILL), OF_C(EHWPOISON),

	/* Signals. */
	{ "SIGHUP", 1 }, { "SIGINT", 2 }, { "SIGQUIT", 3 }, { "SIGILL", 4 },
	{ "SIGTRAP", 5 }, { "SIGABRT", 6 }, { "SIGIOT", 6 }, { "SIGBUS", 7 },
	{ "SIGFPE", 8 }, { "SIGKILL", 9 }, { "SIGUSR1", 10 }, { "SIGSEGV", 11 },
	{ "SIGUSR2", 12 }, { "SIGPIPE", 13 }, { "SIGALRM", 14 },
	{ "SIGTERM", 15 }, { "SIGSTKFLT", 16 }, { "SIGCHLD", 17 },
	{ "SIGCLD", 17 }, { "SIGCONT", 18 }, { "SIGSTOP", 19 },
	{ "SIGTSTP", 20 }, { "SIGTTIN", 21 }, { "SIGTTOU", 22 },
	{ "SIGURG", 23 }, { "SIGXCPU", 24 }, { "SIGXFSZ", 25 },
	{ "SIGVTALRM", 26 }, { "SIGPROF", 27 }, { "SIGWINCH", 28 },
	{ "SIGIO", 29 }, { "SIGPOLL", 29 }, { "SIGPWR", 30 }, { "SIGSYS", 31 },
	{ "SIGUNUSED", 31 }, { "SIGRTMIN", 32 }, { "SIGRTMAX", 64 },
	{ "SIGSTKSZ", 8192 },

	/* Indexes of uregs[]: the order of the kernel's saved registers. */
#ifdef __x86_64__
	{ "R_R15", 0 }, { "R_R14", 1 }, { "R_R13", 2 }, { "R_R12", 3 },
	{ "R_RBP", 4 }, { "R_EBP", 4 }, { "R_FP", 4 }, { "R_RBX", 5 },
	{ "R_EBX", 5 }, { "R_R11", 6 }, { "R_R10", 7 }, { "R_R9", 8 },
	{ "R_R8", 9 }, { "R_RAX", 10 }, { "R_EAX", 10 }, { "R_RCX", 11 },
	{ "R_ECX", 11 }, { "R_RDX", 12 }, { "R_EDX", 12 }, { "R_RSI", 13 },
	{ "R_ESI", 13 }, { "R_RDI", 14 }, { "R_EDI", 14 }, { "R_ERR", 15 },
	{ "R_RIP", 16 }, { "R_EIP", 16 }, { "R_PC", 16 }, { "R_CS", 17 },
	{ "R_RFL", 18 }, { "R_EFL", 18 }, { "R_PS", 18 }, { "R_RSP", 19 },
	{ "R_SP", 19 }, { "R_UESP", 19 }, { "R_ESP", 19 }, { "R_SS", 20 },
	{ "R_DS", 21 }, { "R_ES", 22 }, { "R_FS", 23 }, { "R_GS", 24 },
	{ "R_TRAPNO", 25 }, { "R_R0", 10 }, { "R_R1", 5 },
#else
	{ "R_R0", 0 }, { "R_R1", 1 }, { "R_R2", 2 }, { "R_R3", 3 },
	{ "R_R4", 4 }, { "R_R5", 5 }, { "R_R6", 6 }, { "R_R7", 7 },
	{ "R_R8", 8 }, { "R_FP", 29 }, { "R_LR", 30 }, { "R_SP", 31 },
	{ "R_PC", 32 }, { "R_PS", 33 },
#endif
};

void
d_predefined_init(struct d_compiler *c)
{
	struct identifier *one;
	size_t i;

	for (i = 0; i < sizeof(constants) / sizeof(constants[0]); i++) {
		one = d_table_add(c, &c->globals, constants[i].name,
		    IDENTIFIER_SCALAR, IDENTIFIER_INLINE | IDENTIFIER_READ |
		    IDENTIFIER_DECLARED);
		one->type = c->types.type_int;
		one->body = d_node_constant(c, one->type,
		    (uint64_t)constants[i].value);
	}
}
