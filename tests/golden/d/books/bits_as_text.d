#pragma D option quiet


inline string BIT[int v, int n] = v & (1 << n) ? "1" : "0";

BEGIN
{
	printf("%s%s%s%s\n", BIT[10, 3], BIT[10, 2], BIT[10, 1], BIT[10, 0]);
	exit(0);
}
