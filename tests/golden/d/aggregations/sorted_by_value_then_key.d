#pragma D option quiet

BEGIN
{
	@[3] = sum(1);
	@[1] = sum(1);
	@[2] = sum(0);
	@[4] = sum(-5);
	exit(0);
}
