#pragma D option quiet

self int counts[string];

BEGIN
{
	self->counts["a"] = 1;
	self->counts["a"]++;
	self->counts["b"] = 5;
	printf("%d %d %d\n", self->counts["a"], self->counts["b"],
	    self->counts["c"]);
	exit(0);
}
