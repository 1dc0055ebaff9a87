#pragma D option quiet

BEGIN
{
	printf("%d %d %d\n", pid == $pid, ppid == $ppid, uid == $uid);
	printf("%d %s\n", pid == tid, execname);
	exit(0);
}
