/* The lowest of all clauses, in names, in data and in class. */
dtrace:::BEGIN
/ntohs(1) != 0/
{
	printf("%s\n", probefunc);
}

BEGIN
{
	exit(0);
}
