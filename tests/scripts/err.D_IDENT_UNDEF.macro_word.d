/* @arguments: verbose */
/* $1 is replaced by the word, which is a name; $$1 is its text. */
BEGIN
{
	trace($1);
}
