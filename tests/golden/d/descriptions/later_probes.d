#pragma D option quiet

/* With -Z clauses may wait for probes that nobody has. */
nobody:has:this:probe
{
	printf("never %d\n", arg0);
}

nobody*:::start*
{
	@[probefunc] = count();
}

BEGIN
{
	printf("begun\n");
	exit(0);
}
