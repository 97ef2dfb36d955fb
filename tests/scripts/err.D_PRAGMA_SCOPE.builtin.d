#pragma D attributes Private/Private/Common pid

BEGIN
{
	trace(pid);
}

/* @rows: pragma.attributes */
