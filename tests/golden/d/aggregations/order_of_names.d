#pragma D option quiet

BEGIN
{
	@second = sum(2);
	@first = sum(1);
	@ = sum(3);
	exit(0);
}
