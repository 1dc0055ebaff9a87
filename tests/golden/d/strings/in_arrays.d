#pragma D option quiet

BEGIN
{
	s["a", 1] = "one";
	s["a", 2] = "two";
	printf("%s %s %d\n", s["a", 1], s["a", 2], s["b", 1] == NULL);
	s["a", 1] = 0;
	printf("%d\n", s["a", 1] == NULL);
	exit(0);
}
