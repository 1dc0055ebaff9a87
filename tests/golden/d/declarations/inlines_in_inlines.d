#pragma D option quiet

inline int base = 3;
inline int f[int a, int b] = a * b + base;
inline string name[int n] = f[n, n] > 10 ? "large" : "small";

BEGIN
{
	printf("%d %s %s %d\n", f[2, f[3, 4]], name[2], name[3],
	    sizeof(base));
	exit(0);
}
