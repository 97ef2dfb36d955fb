BEGIN
{
	trace("one
	two");
}
