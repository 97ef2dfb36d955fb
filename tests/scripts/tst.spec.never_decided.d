/* @rows: act.speculate */
/* what is neither committed nor discarded is gone with the tracing, aggregations at the end are not */
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
	@kept = count();
	exit(0);
}
