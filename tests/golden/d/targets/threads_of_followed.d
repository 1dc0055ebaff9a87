/* More threads, one after the other, than dynvarsize has room for at once. */
tt:::count
{
	self->x = 1;
	@ = count();
}

END
{
	printa("%@d\n", @);
}
