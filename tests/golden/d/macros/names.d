#pragma D option quiet

BEGIN
{
	printf("%d %d %d\n", $pid == pid, $ppid == ppid, $uid == uid);
	printf("%d %d\n", $target, $euid == $uid);
	exit(0);
}
