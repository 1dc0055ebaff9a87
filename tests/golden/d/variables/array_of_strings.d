#pragma D option quiet

string who[int];

BEGIN
{
	who[1] = "one";
	who[2] = who[1];
	who[1] = "uno";
	printf("%s %s %d\n", who[1], who[2], who[3] == NULL);
	exit(0);
}
