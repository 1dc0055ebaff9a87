#pragma D option quiet

/* Of tbufctl itself, which has one thread. */
BEGIN
{
	printf("%d %d %d\n", curlwpsinfo->pr_lwpid == tid,
	    curpsinfo->pr_pid == pid, curpsinfo->pr_ppid == ppid);
	printf("%s %d\n", curpsinfo->pr_fname == execname ? "same" : "other",
	    curpsinfo->pr_uid == uid);
	printf("%s %c %d %d\n", curlwpsinfo->pr_name == execname ? "same" :
	    "other", curlwpsinfo->pr_sname, curlwpsinfo->pr_state == SRUN,
	    curlwpsinfo->pr_flag & PR_STOPPED);
	exit(0);
}
