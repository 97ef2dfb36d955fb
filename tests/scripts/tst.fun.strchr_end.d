/* @rows: fun.strchr fun.strrchr */
/* '\0' is found at the end; what is not there gives NULL */
BEGIN
{
	printf("[%s]", strchr("a/b/c", '/'));
	printf("[%s]", strrchr("a/b/c", '/'));
	printf("[%s]", strchr("abc", '\0'));
	printf("[%s]", strchr("abc", 'a'));
	printf("[%s]\n", strrchr("abc", 'c'));
	printf("%d %d %d\n", strchr("abc", 'x') == NULL, strrchr("", 'x') == NULL, strchr("", '\0') != NULL);
	exit(0);
}
