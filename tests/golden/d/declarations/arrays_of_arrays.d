#pragma D option quiet

int m[2][3];

BEGIN
{
	m[1][2] = 5;
	m[0][0] = 1;
	printf("%d %d %d %d\n", m[1][2], m[0][0], m[0][2], sizeof (m));
	exit(0);
}
