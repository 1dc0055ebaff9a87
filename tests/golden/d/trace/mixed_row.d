BEGIN
{
	trace(1);
	trace("two");
	trace(3L);
	trace('4');
	printf("five");
	trace((uint8_t)6);
}

BEGIN
{
	trace(-1);
	trace((short)-2);
	trace((unsigned)3);
	exit(0);
}
