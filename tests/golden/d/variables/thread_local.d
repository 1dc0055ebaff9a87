#pragma D option quiet

self int n;

BEGIN
{
	self->n = 3;
	self->s = "text";
	printf("%d %s\n", self->n, self->s);
	self->n = 0;
	printf("%d\n", self->n);
	exit(0);
}
