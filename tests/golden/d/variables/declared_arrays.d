#pragma D option quiet

int m[5];
int map[string, int];

BEGIN
{
	m[0] = 10;
	m[4] = m[0] + 4;
	map["a", 1] = 7;
	printf("%d %d %d\n", m[0], m[4], map["a", 1]);
	exit(0);
}
