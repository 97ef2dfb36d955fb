/* @rows: type.self_reference */
/* A list. */
struct node { struct node *next; int value; };

BEGIN
{
	a = (struct node *)alloca(sizeof (struct node));
	b = (struct node *)alloca(sizeof (struct node));
	a->value = 1; b->value = 2; a->next = b; b->next = NULL;
	printf("%d %d %d\n", a->value, a->next->value, a->next->next == NULL);
	exit(0);
}
