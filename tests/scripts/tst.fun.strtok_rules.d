/* @rows: fun.strtok */
/* leading delimiters are skipped, NULL goes on, another string starts anew, empty delimiters give all */
BEGIN
{
	this->t = strtok("::a:b,c::", ":");
	printf("[%s]", this->t);
	this->t = strtok(NULL, ":,");
	printf("[%s]", this->t);
	this->t = strtok(NULL, ":,");
	printf("[%s]", this->t);
	printf("%d\n", strtok(NULL, ":,") == NULL);
	printf("[%s]", strtok("x y", " "));
	printf("[%s]\n", strtok("whole: text", ""));
	printf("%d\n", strtok("", ":") == NULL);
	exit(0);
}
