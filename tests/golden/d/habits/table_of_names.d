#pragma D option quiet

string names[int];

BEGIN
{
	names[0] = "read";
	names[1] = "write";
	names[2] = "open";
	i = 0;
}

tick-1ms
/i < 4/
{
	printf("%-8s|%4d\n", names[i] == NULL ? "?" : names[i], i);
	i++;
}
int i;

tick-1ms
/i == 4/
{
	exit(0);
}
