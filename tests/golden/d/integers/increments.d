#pragma D option quiet

BEGIN
{
	a = 5;
	printf("%d ", a++);
	printf("%d ", a);
	printf("%d ", ++a);
	printf("%d ", a--);
	printf("%d ", --a);
	b++;
	printf("%d\n", b);
	exit(0);
}
