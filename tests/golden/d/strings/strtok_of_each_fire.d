#pragma D option quiet

/* The clauses of a fire go on with one text, those of the next have none. */
BEGIN
{
	printf("%s\n", strtok("a b c", " "));
}

BEGIN
{
	printf("%s\n", strtok(NULL, " "));
	exit(0);
}

END
{
	printf("%s\n", strtok(NULL, " "));
}
