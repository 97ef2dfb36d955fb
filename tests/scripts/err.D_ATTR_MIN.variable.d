/* @sonde: -x amin=Evolving/Evolving/Common */
#pragma D attributes Private/Private/Unknown mine
int mine;

BEGIN
{
	mine = 1;
}

/* @rows: opt.amin pragma.attributes */
