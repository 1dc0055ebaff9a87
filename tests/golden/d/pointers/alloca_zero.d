#pragma D option quiet

BEGIN
{
	this->a = alloca(0);
	printf("%d\n", this->a != NULL);
	exit(0);
}
