#pragma D option quiet

enum e { A = 3, B = A, C, D = B + 10 };

BEGIN
{
	printf("%d %d %d %d\n", A, B, C, D);
	exit(0);
}
