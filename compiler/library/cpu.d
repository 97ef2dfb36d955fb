/* SPDX-License-Identifier: GPL-3.0-or-later */
typedef struct cpuinfo {
  processorid_t cpu_id; psetid_t cpu_pset; chipid_t cpu_chip; lgrp_id_t cpu_lgrp;
} cpuinfo_t;
inline cpuinfo_t *curcpu = (cpuinfo_t *)__cpuinfo(cpu);
inline chipid_t chip = __cpu_package(cpu);
inline lgrp_id_t lgrp = __cpu_node(cpu);
inline psetid_t pset = 0;
