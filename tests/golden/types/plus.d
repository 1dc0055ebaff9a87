#pragma D option quiet

plus:::serve
{
	this->r = (struct Request *)arg0;
	printf("%s %s %d\n", stringof(this->r->path_),
	    stringof(this->r->peer_->name), this->r->peer_->fd);
	printf("%d %d %d %d\n", this->r->kind_, this->r->pair_.first,
	    this->r->pair_.second, this->r->done_);
	printf("%d\n", args[0]->pair_.second);
	printf("%d %d\n", this->r->number, this->r->weight);
}
