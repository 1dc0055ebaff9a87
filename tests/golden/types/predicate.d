#pragma D option quiet

/* In predicates and keys; enumerators by name; with a module before. */
typed:::request-start
/((struct request *)arg0)->op == OP_PUT && arg1 != OP_PUT/
{
	@[((struct typed`request *)arg0)->op] = count();
	@small[((typed`struct request *)arg0)->small] = sum(
	    ((typed`request_t *)arg0)->x);
}

typed:::request-start
/((request_t *)arg0)->small == SMALL_LAST &&
    ((request_t *)arg0)->next->op != OP_PUT/
{
	trace(OP_PUT);
}
