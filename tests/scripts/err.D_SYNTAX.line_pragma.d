#pragma D line 70 "made.d"
BEGIN
{
	x = ;
}
