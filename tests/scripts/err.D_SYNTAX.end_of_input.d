BEGIN
{
  trace(1);
