/* @rows: pred.body_first */
/* A predicate may name what only the body assigns; what the predicate makes is known to the body. */

BEGIN
/self->prev == 0/
{
	self->prev = timestamp;
	printf("first\n");
}

BEGIN
/k++ < 5/
{
	printf("%d\n", k);
}

BEGIN
/j < 3/
{
	printf("%d\n", j++);
}

BEGIN
/(w = 4) > 3/
{
	printf("%d\n", w + 1);
	exit(0);
}
