/* @rows: xlate.scalar_input xlate.define xlate.struct */
/* From a number. */
struct info { int twice; string name; };
translator struct info < int n > { twice = n * 2; name = n ? "some" : "none"; };

BEGIN
{
	printf("%d %s\n", xlate <struct info> (21).twice, xlate <struct info> (0).name);
	exit(0);
}
