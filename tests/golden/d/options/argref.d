#pragma D option quiet

#pragma D option argref

BEGIN
{
	printf("%d\n", $2);
	exit(0);
}
