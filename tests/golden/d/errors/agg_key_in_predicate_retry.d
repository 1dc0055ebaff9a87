/* The predicate is what makes i, so that the clause is looked at twice. */
BEGIN
/i++ < 3/
{
	@[i] = count();
}
