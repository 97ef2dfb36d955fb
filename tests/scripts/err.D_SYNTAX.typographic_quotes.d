BEGIN
{
	trace(“text”);
}
