#pragma D option quiet

BEGIN
{
	x = 0;
	trace(1 / x);
}

ERROR
{
	trace(1 / x);
}

BEGIN
{
	exit(0);
}
