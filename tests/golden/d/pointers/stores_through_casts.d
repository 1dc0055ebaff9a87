#pragma D option quiet

struct s { int a; int b : 3; struct { int c[3]; } d; };

BEGIN
{
	p = alloca(sizeof (struct s));
	*(int *)p = 1;
	(*(int *)p)++;
	((struct s *)p)->a += 5;
	((struct s *)p)->b = 2;
	((struct s *)p)->d.c[2] = 9;
	(*(struct s *)p).d.c[0] = -1;
	printf("%d %d %d %d\n", ((struct s *)p)->a, ((struct s *)p)->b,
	    ((struct s *)p)->d.c[2], ((struct s *)p)->d.c[0]);
}

BEGIN
{
	q = (char *)alloca(8);
	*(int *)q = 0x44434241;
	((short *)q)[2] = 0x4645;
	*((char *)q + 6) = 'G';
	*((char *)q + 7) = 0;
	printf("%s\n", stringof(q));
}

BEGIN
{
	*(string *)alloca(256) = "nobody looks";
	*(int *)12 = 3;
}

ERROR
{
	printf("%d 0x%x\n", arg4 == DTRACEFLT_BADADDR, arg5);
	exit(0);
}
