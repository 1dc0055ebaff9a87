#pragma D option quiet

this int n;
int once;

BEGIN
{
	this->n = 7;
}

tick-1ms
{
	printf("%d\n", this->n);
	exit(0);
}
