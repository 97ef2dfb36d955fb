enum nothing { };

BEGIN
{
	
}
