#pragma D option quiet

int i;
long l;

BEGIN
{
	i = 2147483647;
	i++;
	printf("%d\n", i);
	l = 9223372036854775807;
	l++;
	printf("%d\n", l);
	exit(0);
}
