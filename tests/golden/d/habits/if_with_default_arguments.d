#pragma D option quiet

#pragma D option defaultargs

BEGIN
{
	limit = $1 ? $1 : 10;
	name = $$2 == "" ? "nobody" : $$2;
	printf("%d %s\n", limit, name);
	exit(0);
}
