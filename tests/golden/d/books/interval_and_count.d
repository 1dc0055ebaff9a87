#pragma D option quiet

inline int INTERVAL = $1;
inline int COUNTER = $2;

BEGIN
{
	secs = INTERVAL;
	counts = COUNTER;
}

tick-1ms
{
	secs--;
}

tick-1ms
/secs == 0/
{
	printf("%d left\n", --counts);
	secs = INTERVAL;
}

tick-1ms
/counts == 0/
{
	exit(0);
}
