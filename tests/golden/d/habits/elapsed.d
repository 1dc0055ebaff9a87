#pragma D option quiet

BEGIN
{
	self->start = timestamp;
}

tick-2ms
{
	this->delta = timestamp - self->start;
	printf("%d\n", this->delta >= 2000000 && this->delta < 10000000000);
	exit(0);
}
