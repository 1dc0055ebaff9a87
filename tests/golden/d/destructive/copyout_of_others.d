#pragma D option quiet

/* What is no memory cannot be written to; what is D's own can. */
BEGIN
{
	this->b = (char *)alloca(8);
	copyoutstr("out", 16, 8);
	printf("not this\n");
}

BEGIN
{
	this->b = (char *)alloca(8);
	copyout(this->b, 0, 8);
	printf("nor this\n");
}

BEGIN
{
	printf("behind\n");
	exit(0);
}
