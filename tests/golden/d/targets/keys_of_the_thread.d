/* A thread's id, where its process has several; a text comes last. */
tt:::count
/arg0 > 0/
{
	@[tid, pid, execname] = quantize(arg0);
}

END
{
	printa("%@d\n", @);
}
