#pragma D option quiet

BEGIN
{
	p = (int *)alloca(8);
	*p = 0x01020304;
	p[1] = -1;
	q = (char *)p;
	printf("%d %d %d\n", q[0], q[3], q[4]);
	printf("%x %d\n", *(short *)p, *(long *)p >> 32);
	printf("%d %d %d\n", &p[1] - p, p + 1 == &p[1], p > &p[1]);
	exit(0);
}
