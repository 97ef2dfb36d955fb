/* @rows: var.assoc_self */
/* Thread-local associative arrays. */
BEGIN
{
	self->a["x", 1] = 5; self->a["x", 2] = 6;
	self->a["x", 1] = 0;
	printf("%d %d\n", self->a["x", 1], self->a["x", 2]);
	exit(0);
}
