#pragma D option quiet


dtrace:::BEGIN
{
	lines = 0;
}

tick-1ms
/lines == 0/
{
	printf("%-8s %6s\n", "NAME", "COUNT");
	lines = 3;
}

tick-1ms
{
	printf("%-8s %6d\n", "tick", ++n);
	lines--;
}

tick-1ms
/n == 5/
{
	exit(0);
}
