#pragma D option quiet

BEGIN
{
	i = 1;
	printf("%d %d %d\n", i++, i++, i++);
	x = i++ + i;
	printf("%d\n", x);
	exit(0);
}
