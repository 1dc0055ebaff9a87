BEGIN
{
	setopt("quiet");
}

BEGIN
{
	printf("quiet now\n");
	exit(0);
}
