/* @rows: prog.empty_statements */
/* Semicolons alone are statements; the last one needs none. */
BEGIN
{
	;;
	trace(1);;
	;
	exit(0);
}
