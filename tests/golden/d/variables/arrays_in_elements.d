/* What is stored to in part is made, under the key that it was asked by. */
#pragma D option quiet
#pragma D option tregs=9

int m[int][3];
int l[int, int, int, int, int, int, int, int, int, int][3];

BEGIN
{
	m[7][1] = 5;
	m[7][2] = m[7][1] + 1;
	m[7][0]--;
	m[8][2] = 1;
	printf("%d %d %d %d\n", m[7][0], m[7][1], m[7][2], m[8][2]);
	l[1, 2, 3, 4, 5, 6, 7, 8, 9, 10][1] = 4;
	l[1, 2, 3, 4, 5, 6, 7, 8, 9, 10][2]++;
	l[1, 2, 3, 4, 5, 6, 7, 8, 9, 11][2] = 9;
	printf("%d %d %d\n", l[1, 2, 3, 4, 5, 6, 7, 8, 9, 10][0],
	    l[1, 2, 3, 4, 5, 6, 7, 8, 9, 10][1],
	    l[1, 2, 3, 4, 5, 6, 7, 8, 9, 10][2]);
	*(m[2] + 1) = 8;
	p = &m[3][2];
	*p = 9;
	printf("%d %d %d\n", m[2][1], m[3][2], sizeof(m[3]));
	exit(0);
}
