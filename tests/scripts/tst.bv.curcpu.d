/* @rows: bv.curcpu bv.chip bv.lgrp bv.pset cpuinfo.members */
/* cpuinfo_t says the same as the plain variables. */
BEGIN
{
  printf("%d %d %d %d\n", curcpu->cpu_id == cpu, curcpu->cpu_chip == chip, curcpu->cpu_lgrp == lgrp, curcpu->cpu_pset == pset);
  printf("%d %d\n", chip >= 0, lgrp >= 0);
  printf("%d\n", pset);
  exit(0);
}
