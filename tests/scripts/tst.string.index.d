/* @rows: type.string_index */
/* @sonde: -q */
/* bytes of a string */
BEGIN
{
	s = "hello";
	i = 4;
	printf("%d %c %c %d\n", s[0], s[1], s[i], s[5]);
	exit(0);
}
