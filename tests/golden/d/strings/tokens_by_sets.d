#pragma D option quiet

BEGIN
{
	printf("[%s]", strtok(",;a,b;;c", ",;"));
	printf("[%s]", strtok(NULL, ";"));
	printf("[%s]", strtok(NULL, ","));
	printf("[%s]\n", strtok(NULL, ",") == NULL ? "none" : "some");
	printf("[%s]\n", strtok("abc", ""));
	exit(0);
}
