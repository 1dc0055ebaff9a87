#pragma D option quiet

/* Members of all kinds. */
typed:::request-start
{
	this->r = (struct request *)arg0;
	printf("%s %s %d %d\n", stringof(this->r->path), this->r->verb,
	    this->r->op, this->r->small);
	printf("%d %d %d %d\n", this->r->a, this->r->b, this->r->c,
	    this->r->d);
	printf("%d.%d %d\n", this->r->from.octets[0],
	    this->r->from.octets[3], this->r->from.port);
	printf("%x %s\n", this->r->u.number, this->r->u.bytes);
	printf("%d %d %d %d\n", this->r->x, this->r->y,
	    this->r->matrix[0][1], this->r->matrix[1][2]);
	printf("%s %d %s\n", stringof(this->r->peer->name),
	    this->r->peer->fd, stringof(this->r->next->path));
	printf("%d %d %s\n", this->r->big, this->r->yes,
	    stringof(this->r->tail));
}
