#pragma D option quiet

BEGIN
{
	printf("%d %d %d\n", $gid == gid, $egid == gid, $sid > 0);
	printf("%d\n", $pgid > 0);
	exit(0);
}
