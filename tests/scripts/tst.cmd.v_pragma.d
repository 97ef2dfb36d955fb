/* @rows: cmd.v pragma.attributes */
/* @command: -e -v -s @script@ */
/* Attributes that a pragma gives a name count. */
#pragma D attributes Stable/Private/Common half
#pragma D attributes Standard/Stable/CPU other
int half;
int other;

BEGIN
{
	half = 1;
	trace(other);
}
