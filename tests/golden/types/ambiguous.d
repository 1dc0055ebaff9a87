typed:::first
{
	trace(it->op);
}
