#pragma D option quiet

/*
 * What a shell wrapper sets: a constant condition takes one side, which may be
 * an action or an aggregation, and the other is not looked at.
 */
inline int WITH_SUMS = 1;
inline int WITH_LINES = 0;
inline string ONLY = "a";

BEGIN
{
	name = "a";
	(ONLY == "" || ONLY == name) ? self->on = 1 : self->on;
	WITH_SUMS == 1 ? @sums[name] = sum(self->on + 4) : 1;
	WITH_LINES == 1 ? @lines[name] = count() : 1;
	WITH_LINES ? printf("%d\n", not_there) : 1;
	WITH_SUMS && !WITH_LINES ? printf("sums\n") : 1;
	!WITH_LINES ? exit(0) : 1;
}

END
{
	WITH_SUMS ? printa("%-8s %3@d\n", @sums) : 1;
	WITH_SUMS ? trunc(@sums) : 1;
}
