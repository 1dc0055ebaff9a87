#pragma D option quiet

self int a, b, c, d;

BEGIN
{
	self->a = 1;
	self->b = 2;
	self->c = 3;
	printf("three\n");
	self->d = 4;
	printf("not reached\n");
}

BEGIN
{
	printf("%d\n", self->d);
	exit(0);
}
