#pragma D option quiet

inline int LIMIT = 10;
inline string GREETING = "hello";
inline int twice[int n] = n * 2;

BEGIN
/LIMIT == 10/
{
	printf("%s %d %d\n", GREETING, twice[LIMIT], twice[twice[1]]);
	exit(0);
}
