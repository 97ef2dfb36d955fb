/* @rows: fun.strstr */
/* an empty part is found at the start */
BEGIN
{
	printf("[%s][%s][%s]\n", strstr("abcabc", "ca"), strstr("abc", ""), strstr("", ""));
	printf("%d\n", strstr("abc", "abcd") == NULL);
	exit(0);
}
