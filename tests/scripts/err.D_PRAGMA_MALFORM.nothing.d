#pragma D

BEGIN
{
}
