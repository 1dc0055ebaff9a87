#pragma D option quiet

inline int LIMIT = 5;
inline string NAME = "name";
inline int twice[int n] = n * 2;

BEGIN
{
	printf("%d %s %d\n", LIMIT, NAME, twice[21]);
	exit(0);
}
