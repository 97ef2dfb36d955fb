/* @rows: fmt.star */
/* @sonde: -q */
/* width and precision from arguments */
BEGIN
{
	w = 6;
	p = 2;
	printf("[%*d] [%-*d] [%*s]\n", w, 42, w, 42, w, "ab");
	printf("[%.*s] [%*.*s]\n", p, "abcdef", w, p, "abcdef");
	exit(0);
}
