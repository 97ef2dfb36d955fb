/* @rows: cpp.defines */
/* @sonde: -C -q */
/* What cpp is told about D and the machine. */
BEGIN
{
#if __SUNW_D == 1 && __SUNW_D_VERSION >= 0x01000000 && defined(__SUNW_D_64)
	printf("D ");
#endif
#if defined(__linux) && defined(__unix) && defined(__SVR4) && defined(__Linux)
	printf("linux ");
#endif
#ifdef __amd64
	printf("amd64 ");
#endif
#ifdef __GNUC__
	printf("gcc ");
#endif
	printf("\n");
	exit(0);
}
