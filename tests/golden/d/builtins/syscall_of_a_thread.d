/* A member that nothing is translated to: no number is made up. */
BEGIN
{
	printf("%d\n", curlwpsinfo->pr_syscall);
	exit(0);
}
