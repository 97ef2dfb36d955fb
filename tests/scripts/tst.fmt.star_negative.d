/* @rows: fmt.star */
/* a width of * may be negative: to the left; a precision of .* that is negative counts for none */
BEGIN
{
	this->w = 6;
	printf("[%*d][%-*d][%*s]\n", this->w, 42, this->w, 42, this->w, "ab");
	printf("[%*d][%.*s][%*.*d]\n", -6, 42, 2, "abc", 7, 3, 5);
	printf("[%.*s]\n", -1, "abc");
	exit(0);
}
