/* @sonde: -L lib/cycle */
BEGIN
{
}
