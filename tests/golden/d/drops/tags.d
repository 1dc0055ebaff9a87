#pragma D option quiet

BEGIN
{
	printf("%s\n", "larger than the buffer");
}

BEGIN
{
	exit(0);
}
