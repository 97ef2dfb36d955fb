/* @rows: act.speculate act.commit fun.speculation spec.commit */
/* what was speculated comes when it is committed, not before */
BEGIN
{
	this->dummy = 0;
	self->id = speculation();
	printf("id %d\n", self->id);
}

BEGIN
{
	speculate(self->id);
	printf("speculated\n");
}

BEGIN
{
	printf("before the commit\n");
}

BEGIN
{
	commit(self->id);
}

BEGIN
{
	printf("after\n");
	exit(0);
}
