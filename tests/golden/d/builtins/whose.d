#pragma D option quiet

BEGIN
{
	printf("%d %d %s\n", pid == $pid, ppid == $ppid, execname);
	printf("%d %d\n", uid == $uid, gid == $gid);
	printf("%s %d\n", curpsinfo->pr_fname, curpsinfo->pr_pid == pid);
	exit(0);
}
