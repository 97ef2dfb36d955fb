/* @rows: type.strsize opt.strsize */
/* @sonde: -q -x strsize=5 */
/* strings keep strsize characters */
BEGIN
{
	s = "abcdefgh";
	printf("%s %d\n", s, strlen(s));
	printf("%s\n", strjoin("abc", "def"));
	exit(0);
}
