#pragma D option quiet

#pragma D option aggsortrev

BEGIN
{
	@["b"] = sum(1);
	@["a"] = sum(2);
	exit(0);
}
