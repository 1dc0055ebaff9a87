#pragma D option quiet

BEGIN
{
	@ = count();
	@ = count();
	exit(0);
}
