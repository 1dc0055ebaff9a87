#pragma D option quiet

/* A text is an address where it is added to. */
BEGIN
{
	x = "abcdef" + 2;
	printf("%s %d %c %c\n", stringof(x), strlen(x), "abc"[1],
	    *("abc" + 2));
	s = "hello";
	this->t = s;
	self->u = s;
	a[1] = s;
	printf("%c%c%c%c %d\n", s[0], this->t[1], self->u[2], a[1][4], s[5]);
	exit(0);
}
