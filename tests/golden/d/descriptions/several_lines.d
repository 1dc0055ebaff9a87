#pragma D option quiet

BEGIN,
tick-1ms,
END
{
	printf("%s\n", probename);
}

tick-1ms
{
	exit(0);
}
