#pragma D option quiet

struct node {
	int value;
	struct node *next;
};

struct node *head;

BEGIN
{
	this->c = (struct node *)alloca(sizeof (struct node));
	this->c->value = 3;
	this->b = (struct node *)alloca(sizeof (struct node));
	this->b->value = 2;
	this->b->next = this->c;
	this->a = (struct node *)alloca(sizeof (struct node));
	this->a->value = 1;
	this->a->next = this->b;
	this->p = this->a;
	printf("%d", this->p->value);
	this->p = this->p->next;
	printf("%d", this->p->value);
	this->p = this->p->next;
	printf("%d %d\n", this->p->value, this->p->next == NULL);
	exit(0);
}
