/* one mistake, one message: @a and n are not complained about again */
BEGIN
{
	@a[n += 1] = count();
	trunc(@a, 2);
	printa(@a);
	n += 1;
}
