#pragma D option quiet

tick-$1
{
	printf("%s\n", probename);
	exit(0);
}
