#pragma D option quiet

BEGIN
{
	this->t = timestamp;
	chill(1000000);
	printf("chilled\n");
	exit(0);
}
