#pragma D option quiet

BEGIN
{
	printf("%d %d %d\n", AF_INET, AF_INET6, SIGKILL);
	printf("%d %d %d\n", DTRACEFLT_BADADDR, DTRACEFLT_ILLOP,
	    DTRACEFLT_TUPOFLOW);
	printf("%d %d %d\n", PR_MODEL_ILP32, PR_MODEL_LP64, SIGRTMIN);
	exit(0);
}
