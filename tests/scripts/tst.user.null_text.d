/* @rows: expr.null_string var.initial_string */
/* @sonde: -q */
/* a global or this-> string that NULL was assigned to is NULL, one that was never assigned is "" */
string never;

BEGIN
{
	gone = strchr("abc", 'x');
	this->gone = strstr("abc", "x");
	this->there = strstr("abc", "b");
	printf("%d %d %d\n", gone == NULL, this->gone == NULL, this->there == NULL);
	printf("%d %d\n", never == NULL, never == "");
	gone = "again";
	printf("%s\n", gone);
	exit(0);
}
