/* @rows: cpp.U */
/* @sonde: -C -q -U __unix */
/* -U forgets a macro. */
BEGIN
{
#ifdef __unix
	printf("unix\n");
#else
	printf("none\n");
#endif
	exit(0);
}
