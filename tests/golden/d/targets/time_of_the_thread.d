/* What a thread has run goes on, and is one value in a clause. */
self uint64_t last;

tt:::count
/arg0 == 1/
{
	self->first = vtimestamp;
	same = self->first == vtimestamp;
}

tt:::count
/arg0 > 1/
{
	@["earlier"] = sum(vtimestamp < self->last);
	self->last = vtimestamp;
}

tt:::count
/arg0 == 500/
{
	printf("%d %d %d\n", same, self->first > 0,
	    self->last > self->first);
}

END
{
	printa("%s %@d\n", @);
}
