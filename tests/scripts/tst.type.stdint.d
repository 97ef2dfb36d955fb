/* @rows: type.stdint */
/* Each has its width and sign. */
BEGIN
{
	printf("%d %d %d %d ", sizeof (int8_t), sizeof (int16_t), sizeof (int32_t), sizeof (int64_t));
	printf("%d %d %d %d ", (int8_t)200, (uint8_t)200, (int16_t)40000, (uint16_t)40000);
	printf("%d %d %d\n", (int32_t)3000000000, (uint32_t)3000000000, (uint64_t)-1 == 0xffffffffffffffff);
	exit(0);
}
