#pragma D option quiet

1
{
	printf("%s\n", probename);
	exit(0);
}
