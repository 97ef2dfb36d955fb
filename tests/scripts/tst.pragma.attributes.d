/* @rows: pragma.attributes */
/* Attributes may be given to a variable that follows, or that came before. */
#pragma D attributes Stable/Evolving/Common counted
int counted;
int later;
#pragma D attributes Private/Private/Unknown later

BEGIN
{
	counted = 3;
	later = 4;
	printf("%d\n", counted + later);
	exit(0);
}
