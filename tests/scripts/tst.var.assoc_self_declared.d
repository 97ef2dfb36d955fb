/* @rows: var.assoc_self var.assoc_declared */
/* ... declared with its key types. */
self string names[int];

BEGIN
{
	self->names[1] = "one";
	printf("%s %d\n", self->names[1], self->names[2] == NULL);
	exit(0);
}
