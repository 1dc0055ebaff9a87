#pragma D option quiet


struct node { int value; struct node *next; };

BEGIN
{
	a = (struct node *)alloca(sizeof (struct node));
	b = (struct node *)alloca(sizeof (struct node));
	a->value = 1; a->next = b;
	b->value = 2; b->next = NULL;
	printf("%d %d %d\n", a->value, a->next->value, a->next->next == NULL);
	exit(0);
}
