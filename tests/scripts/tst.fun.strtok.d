/* @rows: fun.strtok */
/* @sonde: -q */
/* the tokens of a string */
BEGIN
{
	this->a = strtok(",,one,;two;", ",;");
	this->b = strtok(NULL, ",;");
	this->c = strtok(NULL, ",;");
	printf("%s %s %d\n", this->a, this->b, this->c == NULL);
	printf("%s\n", strtok("all of it", ""));
	exit(0);
}
