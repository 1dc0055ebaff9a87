#pragma D option quiet
#pragma D option destructive

/* Arguments whose variables' types the program knows. */
BEGIN
{
	system("echo x >pipe");
}

typed:::request-start
{
	printf("%s %s\n", stringof(args[0]->path), stringof(req->path));
	this->q = req;
	printf("%d %s\n", sizeof(*req) == sizeof(struct request),
	    stringof(this->q->peer->name));
	@[req->op, args[0]->next->op] = count();
}

typed:::second
{
	exit(0);
}
