/* SPDX-License-Identifier: GPL-3.0-or-later */
/* As procfs.d: struct __thread is the thread of the event, struct __new_thread the one that it makes. */
struct __thread;
struct __new_thread;
typedef struct lwpsinfo {
  int pr_flag; id_t pr_lwpid; uintptr_t pr_addr; uintptr_t pr_wchan; char pr_stype; char pr_state; char pr_sname; char pr_nice;
  int pr_syscall; char pr_oldpri; char pr_cpu; int pr_pri; char pr_clname[8]; char pr_name[16]; processorid_t pr_onpro;
  processorid_t pr_bindpro; psetid_t pr_bindpset; int pr_lgrp;
} lwpsinfo_t;
translator lwpsinfo_t < struct __thread *T > {
  pr_lwpid = tid; pr_state = 6; pr_sname = 'O';
  pr_flag = 0; pr_addr = 0; pr_wchan = 0; pr_stype = 0; pr_syscall = __syscall; pr_pri = __priority;
  pr_clname = __policy == 0 ? "TS" : __policy == 1 ? "FF" : __policy == 2 ? "RR" : __policy == 3 ? "B" :
    __policy == 5 ? "IDL" : __policy == 6 ? "DLN" : "?";
  pr_name = execname; pr_onpro = cpu; pr_bindpro = __bound_cpu; pr_bindpset = -1; pr_lgrp = __cpu_node(cpu);
};
translator lwpsinfo_t < struct __new_thread *T > {
  pr_lwpid = (id_t)arg0; pr_state = 2; pr_sname = 'R';
  pr_flag = 0; pr_addr = 0; pr_wchan = 0; pr_stype = 0; pr_syscall = __syscall; pr_pri = __priority;
  pr_clname = __policy == 0 ? "TS" : __policy == 1 ? "FF" : __policy == 2 ? "RR" : __policy == 3 ? "B" :
    __policy == 5 ? "IDL" : __policy == 6 ? "DLN" : "?";
  pr_name = execname; pr_onpro = cpu; pr_bindpro = __bound_cpu; pr_bindpset = -1; pr_lgrp = __cpu_node(cpu);
};
translator lwpsinfo_t < id_t T > { pr_flag = 0; pr_lwpid = T; pr_addr = 0; };
translator lwpsinfo_t < struct task_struct *T > {
  pr_addr = (uintptr_t)T; pr_lwpid = T->pid; pr_name = stringof(T->comm);
};
inline lwpsinfo_t *curlwpsinfo = xlate <lwpsinfo_t *> ((struct __thread *)0);
