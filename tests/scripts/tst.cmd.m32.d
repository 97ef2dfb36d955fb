/* @rows: type.m32 */
/* @sonde: -q -32 */
/* -32: long and pointers have 4 bytes in memory, what has its width in its name keeps it, and addresses in variables stay whole. */

struct node { int id; struct node *next; long big; char *name; };
struct node pair[2];

BEGIN
{
	printf("%d %d %d %d %d\n", sizeof (long), sizeof (void *), sizeof (size_t), sizeof (int64_t), sizeof (long long));
	printf("%d %d %d\n", sizeof (struct node), offsetof(struct node, big), sizeof (pair));
	this->n = (struct node *)alloca(sizeof (struct node));
	this->n->id = 7;
	this->n->big = 0x123456789;
	printf("%d %x %ld\n", this->n->id, this->n->big, (long)-1);
	this->word = (uint64_t)0x123456789a;
	printf("%x %x %d\n", this->word, (unsigned long)this->word, (uintptr_t)this->word == 0x3456789a);
	this->p = (char *)alloca(4);
	kept = this->p;
	*kept = 'x';
	printf("%c %s\n", *this->p, stringof(this->p));
	trace(lltostr(sizeof (curpsinfo->pr_addr)));
	exit(0);
}

ERROR
{
	exit(1);
}
