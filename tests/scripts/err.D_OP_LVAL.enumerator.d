enum e { ONE };

BEGIN
{
	ONE = 2;
}
