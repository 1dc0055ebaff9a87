#pragma D option quiet

union u {
	int i;
	char c[4];
};
union u v;

BEGIN
{
	v.i = 0x41424344;
	printf("%c%c%c%c %d\n", v.c[3], v.c[2], v.c[1], v.c[0],
	    sizeof (union u));
	exit(0);
}
