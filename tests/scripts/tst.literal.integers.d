/* @rows: lex.decimal lex.octal lex.hex lex.suffix lex.int_type */
/* @sonde: -q */
/* integer constants and their types */
BEGIN
{
	printf("%d %d %d %d\n", 0x1f, 017, 0, 1u);
	printf("%d %d\n", sizeof (0xffffffff), sizeof (2147483648));
	printf("%d %d %d\n", sizeof (1), sizeof (1l), sizeof (1ull));
	printf("%d\n", 0xffffffff);
	printf("%d\n", 18446744073709551615);
	exit(0);
}
