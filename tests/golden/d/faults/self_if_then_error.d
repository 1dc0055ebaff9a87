#pragma D option quiet

BEGIN
{
	self->zero = 0;
	if (self->zero == 0)
		n = 10 / self->zero;
	printf("not this\n");
}

ERROR
{
	self->seen++;
}

BEGIN
{
	printf("%d\n", self->seen);
	exit(0);
}
