/* @rows: var.assignment_types var.exact_type */
/* @sonde: -q */
/* the first assignment fixes the type, later ones are cut to it */
BEGIN
{
	x = (char)3;
	x = 300;
	printf("%d %d\n", x, sizeof (x));
	y = (uint16_t)0;
	y--;
	printf("%d\n", y);
	exit(0);
}
