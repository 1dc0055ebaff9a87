/* What a thread has kept is not there in the child that it forks. */
self int last;

tt:::count
/self->last == 0/
{
	@first[arg0] = count();
}

tt:::count
{
	self->last = arg0 + 1;
}

END
{
	printa("first %d: %@d\n", @first);
}
