BEGIN
{
	timestamp++;
}

