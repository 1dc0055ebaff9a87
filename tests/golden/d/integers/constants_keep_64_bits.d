/* What is made of constants is cut to its type only where that is asked for. */
#pragma D option quiet

inline int SECOND = 1000000000;

int i;
long then;

BEGIN
{
	then = 7;
	printf("%d %d\n", then + 5 * 1000000000, then + 60 * SECOND);
	printf("%d %d\n", then | 1 << 40, (1 << 40 | 3) - then);
	then = 4 * SECOND;
	i = 4 * SECOND;
	printf("%d %d %d %d\n", then, i, 4 * SECOND, sizeof (4 * SECOND));
	printf("%d %d\n", (int)(4 * SECOND) + then, (long)(4 * SECOND));
}

BEGIN
/then < 5 * SECOND/
{
	printf("less\n");
}

BEGIN
/i == 4 * SECOND/
{
	printf("never\n");
}

BEGIN
{
	printf("%d %d %d\n", 3 * SECOND > SECOND, i > 4 * SECOND,
	    4 * SECOND > i);
	printf("%d %d\n", ~0u == 0xffffffff, (uint32_t)~0u == 0xffffffff);
	then = -8;
	printf("%d %d\n", -8LL >> 1, then >> 1);
	printf("%d %d\n", -8 >> 1, (unsigned char)200 + (unsigned char)100);
	@ = sum(5 * SECOND);
	@ = sum(5 * SECOND);
	exit(0);
}
