#pragma D option quiet
#pragma D option nspec=2

/* Two are filled in turn; a third is not to be had until one is free. */
BEGIN
{
	self->a = speculation();
	self->b = speculation();
	self->c = speculation();
	printf("%d %d\n", self->a != self->b, self->c);
}

BEGIN { speculate(self->a); printf("a1\n"); }
BEGIN { speculate(self->b); printf("b1\n"); }
BEGIN { speculate(self->a); printf("a2\n"); }
BEGIN { speculate(self->b); printf("b2\n"); }
BEGIN { commit(self->b); }
BEGIN { discard(self->a); }
BEGIN { self->c = speculation(); printf("%d\n", self->c != 0); }
BEGIN { speculate(self->c); printf("c1\n"); }
BEGIN { commit(self->c); }
BEGIN { exit(0); }
