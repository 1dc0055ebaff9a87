#pragma D option quiet

BEGIN
{
	printf("%d %s\n", curpsinfo->pr_pid == pid, curpsinfo->pr_fname);
	printf("%d\n", curcpu->cpu_id);
	exit(0);
}
