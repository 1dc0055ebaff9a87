/* The first program has no such probe, but another that it starts. */
tt:::count
/execname != ""/
{
	n++;
	printf("%s %d\n", probename, n);
}

other:::*,
tt:::nothing
{
	exit(3);
}
