#pragma D option quiet

enum e { A, B, C = 10, D };

BEGIN
{
	printf("%d %d %d %d\n", A, B, C, D);
	exit(0);
}
