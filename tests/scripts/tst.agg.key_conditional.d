/* @rows: agg.key_string */
/* a key may be a conditional expression */
int i;

BEGIN
{
	i = 1; @[i % 2 ? "odd" : "even"] = count();
	i = 2; @[i % 2 ? "odd" : "even"] = count();
	i = 3; @[i % 2 ? "odd" : "even"] = count();
	printa("%s %@d\n", @);
	exit(0);
}
