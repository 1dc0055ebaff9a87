#pragma D option quiet

profile-1ms
{
	printf("%d %d %d %d\n", pid, arg0 == 0, arg1 != 0, probename ==
	    "profile-1ms");
	exit(0);
}
