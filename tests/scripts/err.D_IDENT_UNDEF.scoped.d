BEGIN
{
	trace(`rootdir);
}
