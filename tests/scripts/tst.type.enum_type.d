/* @rows: type.enum type.enum_values */
/* A variable of an enum is an int. */
enum color { RED = -1, GREEN = 5, BLUE };
enum color c;

BEGIN
{
	c = GREEN; c++;
	printf("%d %d %d %d\n", RED, GREEN, c == BLUE, sizeof (c));
	exit(0);
}
