#pragma D option quiet

/* Of a command that does not run yet its file knows what arguments are. */
typed:::path
{
	@[path] = count();
	@both[n, path] = sum(n);
	this->p = path;
	printf("%s %s %d\n", path, this->p, args[1]);
}

typed:::request-start
/req->op == OP_PUT/
{
	printf("%s\n", stringof(args[0]->next->path));
}
