#pragma D option quiet

int n;

BEGIN
/8 / 2 == 4/
{
	printf("divided\n");
	exit(0);
}
