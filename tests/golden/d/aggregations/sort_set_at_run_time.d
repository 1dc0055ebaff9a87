#pragma D option quiet

BEGIN
{
	@["b"] = sum(1);
	@["a"] = sum(2);
	printa("%s", @);
	setopt("aggsortrev");
	printa("%s", @);
	printf("\n");
	exit(0);
}
