#pragma D option quiet

/* The process that fires, as it was started. */
typed:::request-start
{
	this->p = (uintptr_t *)copyin(curpsinfo->pr_argv, 16);
	printf("%s %s %d\n", execname, curpsinfo->pr_fname,
	    curpsinfo->pr_argc);
	printf("%s|%s\n", execargs, curpsinfo->pr_psargs);
	printf("%s %d\n", copyinstr(this->p[0]), this->p[1]);
	printf("%d %d %d\n", curpsinfo->pr_ppid == ppid,
	    curpsinfo->pr_euid == curpsinfo->pr_uid,
	    curpsinfo->pr_egid == gid);
	printf("%d %d\n", curpsinfo->pr_pgid == $pgid,
	    curpsinfo->pr_sid == $sid);
	printf("%d\n", strlen(copyinstr(*(uintptr_t *)copyin(
	    curpsinfo->pr_envp, 8))) > 0);
}
