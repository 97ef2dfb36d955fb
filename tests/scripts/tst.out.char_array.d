/* @rows: out.char_array act.trace */
/* text and NULs is text, anything else is bytes */
char text[8];
char bytes[4];
int numbers[2];
BEGIN
{
	text[0] = 'h'; text[1] = 'i';
	bytes[0] = 1; bytes[3] = 'z';
	numbers[0] = 0x61;
	trace(text);
	trace(bytes);
	trace(numbers);
	exit(0);
}
