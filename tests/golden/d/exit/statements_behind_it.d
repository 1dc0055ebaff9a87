#pragma D option quiet

BEGIN
{
	exit(1);
	printf("still\n");
}
