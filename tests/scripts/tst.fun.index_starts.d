/* @rows: fun.index fun.rindex */
/* where the search begins: index from there on, rindex from there back */
BEGIN
{
	printf("%d %d %d\n", index("banana", "an"), index("banana", "an", 2), index("banana", "an", 4));
	printf("%d %d %d\n", index("banana", "x"), index("banana", "b", -5), index("banana", "a", 7));
	printf("%d %d %d\n", index("banana", ""), index("banana", "", 3), index("banana", "", 6));
	printf("%d %d %d\n", rindex("banana", "an"), rindex("banana", "an", 2), rindex("banana", "an", 0));
	printf("%d %d %d\n", rindex("banana", "b", -1), rindex("banana", "a", 99), rindex("banana", "x"));
	printf("%d %d %d\n", rindex("banana", ""), rindex("banana", "", 2), rindex("banana", "", 9));
	printf("%d %d %d %d\n", index("", "x"), rindex("", "x"), index("", ""), rindex("", ""));
	exit(0);
}
