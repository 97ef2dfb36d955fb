struct later;

BEGIN
{
	trace(sizeof (struct later));
}
