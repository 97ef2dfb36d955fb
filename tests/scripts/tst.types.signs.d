/* @rows: type.stdint type.unsigned type.linux */
/* Storing extends by the sign of the type: -1 in uint8_t, int8_t, __u32, unsigned short. */
BEGIN
{
  printf("%d %d\n", (uint8_t)-1, (int8_t)-1);
  printf("%d %d\n", (__u32)-1, (unsigned short)-1);
  printf("%d %d\n", (uint64_t)(int8_t)-1 == 0xffffffffffffffff, (uint64_t)(uint8_t)-1);
  exit(0);
}
