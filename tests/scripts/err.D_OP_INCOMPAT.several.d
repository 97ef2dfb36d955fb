BEGIN
{
	x = 1;
	x = "a";
	y = nothing;
	z = y + 1;
	w = 1 / 0;
}
