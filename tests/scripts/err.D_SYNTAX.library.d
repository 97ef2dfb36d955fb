/* @sonde: -L lib/broken */
BEGIN
{
}

/* @rows: lib.load */
