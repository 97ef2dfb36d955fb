/* @rows: expr.ternary expr.sizeof */
/* A constant condition chooses a value, not a place: a bit-field chosen so has the size of its type. */
struct bits { unsigned int narrow : 3; unsigned long wide : 40; };
struct bits b;

BEGIN
{
  b.narrow = 5;
  b.wide = 1234567890123;
  printf("%d %d\n", sizeof (1 ? b.narrow : 1), sizeof (0 ? 1 : b.wide));
  printf("%d %d\n", 1 ? b.narrow : 1, 0 ? 1 : b.wide);
  printf("%d %d\n", sizeof (+b.wide), +b.wide);
  exit(0);
}
