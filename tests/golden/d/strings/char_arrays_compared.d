#pragma D option quiet

char a[8];

BEGIN
{
	a[0] = 'h';
	a[1] = 'i';
	printf("%d %d\n", stringof(a) == "hi", strlen(stringof(a)));
	exit(0);
}
