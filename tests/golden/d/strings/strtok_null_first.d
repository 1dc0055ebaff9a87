#pragma D option quiet

BEGIN
{
	trace(strtok(NULL, "/"));
}

BEGIN
{
	exit(0);
}
