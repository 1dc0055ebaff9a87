/* In a target, too, zeros are read after a variable. */
#pragma D option quiet

int a[5];
int b[5];

tt:::count
{
	a[4] = 4;
	b[0] = 5;
	p = (int *)a;
	self->i = 5;
	printf("%d %d %d %d\n", ((int *)a)[4], ((int *)a)[10], p[self->i],
	    *(p + 1000));
}
