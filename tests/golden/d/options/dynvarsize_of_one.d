#pragma D option quiet

self int y;

/* One of each fits by itself, though never two at once. */
BEGIN
{
	self->y = 1;
	self->y = 0;
	x["a"] = 1;
	x["a"] = 0;
	x["b"] = 1;
	trace(x["b"]);
	exit(0);
}
