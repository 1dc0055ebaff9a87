#pragma D option quiet

BEGIN
{
	printf("%d %s %d\n", curpsinfo->pr_pid == pid, curpsinfo->pr_fname,
	    curpsinfo->pr_ppid == ppid);
	printf("%d\n", curpsinfo->pr_argc > 3);
	exit(0);
}
