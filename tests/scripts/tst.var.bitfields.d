/* @rows: type.bitfield */
/* @sonde: -q */
/* bit-fields: signed ones extend their sign */
struct bits { unsigned int u : 4; int s : 3; };
struct bits b;

BEGIN
{
	b.u = 15;
	b.s = 7;
	printf("%d %d\n", b.u, b.s);
	b.u = 17;
	printf("%d %d\n", b.u, b.s);
	exit(0);
}
