/* @rows: type.integers type.string_sizeof */
/* @sonde: -q */
/* sizes of types and expressions */
BEGIN
{
	printf("%d %d %d %d %d\n", sizeof (char), sizeof (short), sizeof (int), sizeof (long), sizeof (long long));
	printf("%d %d %d\n", sizeof (void *), sizeof (uint16_t), sizeof (size_t));
	printf("%d %d\n", sizeof (string), sizeof ("hi"));
	printf("%d %d %d\n", sizeof (timestamp), sizeof (pid), sizeof (int[10]));
	exit(0);
}
