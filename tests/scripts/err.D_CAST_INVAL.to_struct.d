struct t { int x; };

BEGIN
{
	x = (struct t)5;
}
