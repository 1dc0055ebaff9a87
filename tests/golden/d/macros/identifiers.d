#pragma D option quiet

BEGIN
{
	$1 = 5;
	printf("%d\n", x);
	exit(0);
}
