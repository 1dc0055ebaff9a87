#pragma D option quiet

/* A variable has the type of what is stored first, and cuts what follows. */
BEGIN
{
	x = (char)1;
	x = 70000;
	y = 1;
	y = 5000000000;
	z = (unsigned short)1;
	z -= 2;
	printf("%d %d %d\n", x, y, z);
	printf("%d %d %d\n", sizeof(x), sizeof(y), sizeof(z));
	exit(0);
}
