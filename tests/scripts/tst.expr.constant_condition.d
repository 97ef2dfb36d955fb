/* @rows: expr.constant_condition */
/* Where the condition is a constant, the other arm is thrown away: it declares nothing and may name what is unknown. */

inline int WANT = 0;
inline int COLUMNS = 1;

BEGIN
{
	WANT ? @n["a", 1] = count() : 1;
	@n["a"] = count();
	0 ? nosuch : 1;
	trace(!WANT && COLUMNS == 1 ? 5 : nosuch());
	trace(WANT ? "text" : 6);
	exit(0);
}
