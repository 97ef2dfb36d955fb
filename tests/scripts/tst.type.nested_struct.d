/* @rows: type.struct expr.dot */
/* Structs inside structs, arrays of structs. */
struct point { int x; int y; };
struct outer { struct point in[2]; struct point one; };
struct outer v;

BEGIN
{
	v.in[1].y = 4; v.in[0].x = 3; v.one.y = 5;
	w = v.in[1];
	v.one = v.in[0];
	printf("%d %d %d %d\n", w.y, v.one.x, v.one.y, sizeof (v));
	exit(0);
}
