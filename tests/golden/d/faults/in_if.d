#pragma D option quiet

/*
 * The parts of a clause with an if count their actions for themselves, the
 * predicate and the conditions among them; a fault in one ends the others.
 */
int zero;

ERROR
{
	printf("action %d\n", arg2);
}

BEGIN
{
	printf("before\n");
	trace("it");
	if (zero == 0) {
		printf("in it\n");
		trace(1 / zero);
	}
	printf("behind it\n");
}

BEGIN
/1 / zero/
{
	if (1 + zero)
		trace(1);
}

BEGIN
{
	trace(1);
	trace(2);
	if (zero / zero)
		trace(3);
	else
		trace(4);
}

BEGIN
{
	if (!zero)
		trace(5);
	trace(6);
	trace(7 / zero);
}

BEGIN
{
	exit(0);
}
