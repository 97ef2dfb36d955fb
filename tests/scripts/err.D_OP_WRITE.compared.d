/* @rows: msg.hint_below */
/* In a predicate = is likely to be meant as ==. */
BEGIN
/pid = 1/
{
}
