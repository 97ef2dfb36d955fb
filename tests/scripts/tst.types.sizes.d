/* @rows: type.stdint type.posix type.uchar type.linux type.bool type.unsigned */
/* Sizes of the types that are always there. */
BEGIN
{
  printf("%d %d %d %d\n", sizeof (int8_t), sizeof (int16_t), sizeof (int32_t), sizeof (int64_t));
  printf("%d %d %d %d\n", sizeof (uint8_t), sizeof (uint16_t), sizeof (uint32_t), sizeof (uint64_t));
  printf("%d %d %d %d\n", sizeof (size_t), sizeof (ssize_t), sizeof (uintptr_t), sizeof (ptrdiff_t));
  printf("%d %d %d %d %d\n", sizeof (pid_t), sizeof (uid_t), sizeof (gid_t), sizeof (id_t), sizeof (dev_t));
  printf("%d %d %d %d\n", sizeof (uchar_t), sizeof (ushort_t), sizeof (uint_t), sizeof (ulong_t));
  printf("%d %d %d %d\n", sizeof (__u8), sizeof (__u16), sizeof (__u32), sizeof (__u64));
  printf("%d %d %d\n", sizeof (_Bool), sizeof (unsigned char), sizeof (unsigned long long));
  exit(0);
}
