/* @rows: act.discard spec.discard */
/* what is discarded never comes */
BEGIN
{
	self->id = speculation();
}

BEGIN
{
	speculate(self->id);
	printf("never seen\n");
}

BEGIN
{
	discard(self->id);
	printf("discarded\n");
}

BEGIN
{
	commit(self->id);
}

BEGIN
{
	exit(0);
}
