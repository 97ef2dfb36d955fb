/* @rows: type.enum type.enum_values */
/* @sonde: -q */
/* enumerators are integers */
enum colour { RED, GREEN = 5, BLUE };

BEGIN
{
	printf("%d %d %d %d\n", RED, GREEN, BLUE, BLUE + 1);
	printf("%d\n", sizeof (enum colour));
	exit(0);
}
