#pragma D option quiet

BEGIN
{
	this->s = strtok("/usr/lib/dtrace", "/");
	printf("%s ", this->s);
	this->s = strtok(NULL, "/");
	printf("%s ", this->s);
	this->s = strtok(NULL, "/");
	printf("%s\n", this->s);
	printf("%d\n", strtok(NULL, "/") == NULL);
	exit(0);
}
