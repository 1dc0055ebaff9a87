#pragma D option quiet

int a[3];

BEGIN
{
	i = 3;
	trace(a[i]);
}

ERROR
{
	exit(0);
}
