/* @rows: type.typedef */
/* @sonde: -q */
/* types with names of their own */
typedef unsigned char small;
typedef string text;

BEGIN
{
	x = (small)300;
	y = (text)"abc";
	printf("%d %s %d\n", x, y, sizeof (small));
	exit(0);
}
