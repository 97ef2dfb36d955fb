/* @rows: cpp.defines */
/* @sonde: -C -q -x version=1.6.4 */
/* The version is packed in 8, 12 and 12 bits. */
BEGIN
{
	printf("%x\n", __SUNW_D_VERSION);
	exit(0);
}
