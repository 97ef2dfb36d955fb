/* @rows: fmt.s fmt.S fmt.ls */
/* %s of a string, an array of characters, a string of one's own making; %S shows escapes */
char array[4];
BEGIN
{
	array[0] = 'a'; array[1] = 'b';
	printf("[%s][%5s][%-5s][%s]\n", "text", "ab", "ab", array);
	printf("[%S][%S][%20S]\n", "a\tb\n", "back\\slash", "\001");
	printf("[%ls][%ws]\n", "l", "w");
	printf("[%s][%s]\n", "", stringof(array));
	exit(0);
}
