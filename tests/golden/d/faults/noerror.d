#pragma D option quiet

#pragma D option noerror

BEGIN
{
	x = 0;
	trace(1 / x);
}

BEGIN
{
	exit(0);
}
