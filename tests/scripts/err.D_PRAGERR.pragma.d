#pragma D error not for this system

BEGIN
{
}
