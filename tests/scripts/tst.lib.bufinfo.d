/* @rows: xlate.scalar_input xlate.struct */
/* bufinfo_t and devinfo_t are there for translators of a script's own; the input is a scalar. */
translator devinfo_t < dev_t D > { dev_major = getmajor(D); dev_minor = getminor(D); dev_name = "disk"; };
translator bufinfo_t < int B > { b_bcount = B; b_flags = 0; };
BEGIN
{
  printf("%d %d %s\n", xlate <devinfo_t> ((dev_t)0x800001).dev_major, xlate <devinfo_t> ((dev_t)0x800001).dev_minor, xlate <devinfo_t> ((dev_t)1).dev_name);
  printf("%d\n", xlate <bufinfo_t *> (512)->b_bcount);
  exit(0);
}
