#pragma D option quiet

BEGIN
{
	printf("%d %d\n", $gid == gid, $egid == gid);
	/* A session or group of another pid namespace is 0. */
	printf("%d %d\n", $sid == curpsinfo->pr_sid,
	    $pgid == curpsinfo->pr_pgid);
	exit(0);
}
