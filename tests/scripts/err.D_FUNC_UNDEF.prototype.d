int fetch(int);

BEGIN
{
	trace(fetch(1));
}
