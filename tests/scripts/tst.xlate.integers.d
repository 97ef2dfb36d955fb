/* @rows: xlate.scalar_input */
/* A translator from one integer type serves the others, if they have none of their own. */
struct info { long twice; };
struct other { string from; };
translator struct info < int n > { twice = n * 2; };
translator struct other < int n > { from = "int"; };
translator struct other < uint64_t n > { from = "uint64_t"; };

BEGIN
{
	printf("%d %d %d\n", xlate <struct info> ((long)21).twice, xlate <struct info> ((unsigned char)3).twice, xlate <struct info> (sizeof(int)).twice);
	printf("%s %s\n", xlate <struct other> ((int)1).from, xlate <struct other> ((uint64_t)1).from);
	exit(0);
}
