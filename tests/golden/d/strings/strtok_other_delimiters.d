#pragma D option quiet

/* The delimiter that ended a token is looked at by the next set. */
BEGIN
{
	printf("%s", strtok("key=value;next", "="));
	printf(" %s", strtok(NULL, ";"));
	printf(" %s", strtok(NULL, ";"));
	printf(" %s\n", strtok(NULL, "x") == NULL ? "none" : "some");
	printf("%s", strtok("last,", ","));
	printf(" %s", strtok(NULL, "x"));
	printf(" %s\n", strtok(NULL, "x") == NULL ? "none" : "some");
	exit(0);
}
