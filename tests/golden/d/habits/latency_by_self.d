#pragma D option quiet

BEGIN
{
	self->start = timestamp;
}

BEGIN
/self->start/
{
	this->delta = timestamp - self->start;
	@["ns"] = lquantize(this->delta >= 0, 0, 2, 1);
	self->start = 0;
}

BEGIN
/self->start/
{
	printf("not this\n");
}

BEGIN
{
	exit(0);
}
