#pragma D option quiet

/* Those that DTrace's libraries declare, with the kernel's numbers. */
BEGIN
{
	printf("%d %d %d %d\n", EPERM, ENOENT, EWOULDBLOCK, ETIMEDOUT);
	printf("%o %o %o\n", O_RDWR | O_CREAT, O_TRUNC | O_APPEND, O_ACCMODE);
	printf("%d %d %d\n", IPPROTO_TCP, IPPROTO_UDP, IPPROTO_ICMPV6);
	printf("%d %d %d\n", CLD_EXITED, CLD_KILLED, CLD_CONTINUED);
	printf("%d %d %x\n", SSLEEP, SONPROC, PR_IDLE);
	printf("%x\n", B_READ | B_WRITE | B_ASYNC);
	printf("%d\n", errno == ENOENT ? 1 : 0);
}

/* As constants they are keys, sizes of arrays, and in other inlines. */
inline int FOUND[int e] = e != ENOENT;
int many[EIO];

BEGIN
{
	many[EINTR] = 7;
	why[EACCES] = "denied";
	printf("%d %s %d %d\n", many[4], why[13], FOUND[2], FOUND[1]);
	printf("%d %d %d\n", pset == curcpu->cpu_pset,
	    chip == curcpu->cpu_chip, lgrp == curcpu->cpu_lgrp);
	exit(0);
}
