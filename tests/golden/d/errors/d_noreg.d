/* The parameters of an inline are registers. */
inline int f[int a, int b, int c, int d, int e, int g, int h, int i, int j,
    int k, int l, int m, int n, int o, int p, int q, int r] = a + r;

BEGIN
{
	trace(f[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]);
}
