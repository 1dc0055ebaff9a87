#pragma D option quiet

BEGIN
{
	i = 5;
	printf("%d %d ", i++, i);
	printf("%d %d ", ++i, i);
	printf("%d %d ", i--, i);
	printf("%d %d\n", --i, i);
	n[1]++;
	++n[1];
	self->c--;
	printf("%d %d\n", n[1], self->c);
	exit(0);
}
