#pragma D option quiet

BEGIN
/execname == "tbufctl" && probename == "BEGIN" && pid == $pid/
{
	printf("%s:%s\n", probeprov, probename);
}

BEGIN
/execname != "tbufctl"/
{
	printf("another\n");
}

BEGIN
{
	exit(0);
}
