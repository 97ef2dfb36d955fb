inline int twice[int n] = n * 2;

BEGIN
{
	trace(twice);
}
