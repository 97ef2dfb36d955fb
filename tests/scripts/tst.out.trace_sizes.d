/* @rows: out.int_sizes out.unsigned act.trace */
/* @sonde: */
/* @cpu: 0 */
/* 19, 10, 5 and 3 columns, by the type's size; pointers are unsigned */
BEGIN { trace((int64_t)-5); trace((uint64_t)5); trace(-1); trace(4294967295U); }
BEGIN { trace((short)-2); trace((unsigned short)65535); trace((char)-3); trace((unsigned char)200); exit(0); }
END { trace((short)-2); trace((unsigned short)65535); trace((char)-3); trace((unsigned char)200); exit(0); }
END { trace((void *)0x10); trace('a'); }
