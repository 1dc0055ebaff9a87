#pragma D option setenv=A=b

BEGIN
{
	exit(0);
}
