dtrace:::begin
{
}
