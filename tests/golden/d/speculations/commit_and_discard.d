#pragma D option quiet

#pragma D option nspec=2

BEGIN
{
	self->a = speculation();
	self->b = speculation();
	printf("%d %d %d\n", self->a, self->b, speculation());
}

BEGIN
{
	speculate(self->a);
	printf("kept\n");
}

BEGIN
{
	speculate(self->b);
	printf("not kept\n");
}

BEGIN
{
	commit(self->a);
}

BEGIN
{
	discard(self->b);
	exit(0);
}
