/* A child is a target of its own; globals are one set each, sums are of all. */
tt:::count
{
	@fires[execname] = count();
	@numbers = sum(arg0);
	@processes[pid] = count();
}

END
{
	trunc(@processes, 2);
	printa("%s %@d\n", @fires);
	printa("sum %@d\n", @numbers);
	printa("process %@d\n", @processes);
}
