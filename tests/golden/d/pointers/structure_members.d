#pragma D option quiet

struct list {
	int value;
	struct list *next;
};

BEGIN
{
	this->a = (struct list *)alloca(sizeof (struct list));
	this->b = (struct list *)alloca(sizeof (struct list));
	this->a->value = 1;
	this->a->next = this->b;
	this->b->value = 2;
	this->b->next = NULL;
	printf("%d %d %d\n", this->a->value, this->a->next->value,
	    this->b->next == NULL);
	exit(0);
}
