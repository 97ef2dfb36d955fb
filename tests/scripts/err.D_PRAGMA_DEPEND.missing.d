/* @sonde: -L lib/missing */
BEGIN
{
}
