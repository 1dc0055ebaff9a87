/* Texts as long as a record lets them be. */
#pragma D option strsize=10k

tt:::count
{
	self->t = strjoin(copyinstr(arg1), "!");
	printf("%s\n", self->t);
	@[self->t] = count();
}
