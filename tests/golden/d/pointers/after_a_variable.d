/* By a pointer, zeros are read after a variable, and no other variable. */
#pragma D option quiet

int a[5];
int b[20];
char c[3];
this int t[2];
self int s[2];

BEGIN
{
	a[0] = 11;
	a[4] = 15;
	b[0] = 20;
	b[10] = 21;
	c[2] = 'c';
	this->t[1] = 31;
	self->s[1] = 41;
	p = (int *)a;
	i = 10;
	printf("%d %d\n", ((int *)a)[4], ((int *)a)[10]);
	printf("%d %d\n", ((int *)b)[0], ((int *)b)[10]);
	printf("%d %d %d\n", p[i], *(p + i), *(&a[4] + 1));
	printf("%x %x\n", *(long *)&a[4], *(short *)&c[2]);
	printf("%d %d\n", ((int *)this->t)[1], ((int *)this->t)[5]);
	printf("%d %d\n", ((int *)self->s)[1], ((int *)self->s)[5]);
	((int *)b)[10] = 22;
	printf("%d\n", b[10]);
}

/* Before a variable, and stores after it, are no memory. */
BEGIN
{
	trace(((int *)a)[-1]);
}

BEGIN
{
	((int *)a)[10] = 1;
}

BEGIN
{
	printf("%d %d\n", a[4], b[5]);
	exit(0);
}
