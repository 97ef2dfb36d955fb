inline int from_library = 5;

BEGIN
{
	trace("never");
}
