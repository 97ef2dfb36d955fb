/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A translator is chosen by the type of its input. The process of an event, and the child that it makes, have no struct
 * that D could read, so struct __process and struct __child are declared, never defined: they only choose the translator,
 * of a null pointer, and its members are built-in variables and arguments of the probe. struct task_struct is the kernel's.
 * Members without a translation are declared on purpose: naming one is an error that says so.
 */
struct __process;
struct __child;
typedef struct psinfo {
  int pr_nlwp; pid_t pr_pid; pid_t pr_ppid; pid_t pr_pgid; pid_t pr_sid; uid_t pr_uid; uid_t pr_euid; gid_t pr_gid;
  gid_t pr_egid; uintptr_t pr_addr; size_t pr_size; size_t pr_rssize; dev_t pr_ttydev; char pr_fname[16]; char pr_psargs[80];
  int pr_wstat; int pr_argc; uintptr_t pr_argv; uintptr_t pr_envp; char pr_dmodel; taskid_t pr_taskid; projid_t pr_projid;
  int pr_nzomb; poolid_t pr_poolid; zoneid_t pr_zoneid; id_t pr_contract;
} psinfo_t;
translator psinfo_t < struct __process *P > {
  pr_nlwp = __nlwp; pr_pid = pid; pr_ppid = ppid;
  pr_pgid = __pgid; pr_sid = __sid; pr_uid = uid; pr_euid = __euid; pr_gid = gid; pr_egid = __egid; pr_addr = 0; pr_ttydev = __tty;
  pr_fname = execname; pr_psargs = __psargs; pr_wstat = 0; pr_argc = *(int *)__stack_start; pr_argv = __stack_start + 8;
  pr_envp = __stack_start + 8 * (*(int *)__stack_start + 2); pr_dmodel = uregs[R_CS] == 0x23 ? 1 : 2;
  pr_taskid = 0; pr_projid = 0; pr_nzomb = 0; pr_poolid = 0; pr_zoneid = 0; pr_contract = 0;
};
translator psinfo_t < pid_t P > {
  pr_pid = P; pr_fname = __comm[P]; pr_addr = 0; pr_dmodel = uregs[R_CS] == 0x23 ? 1 : 2;
  pr_taskid = 0; pr_projid = 0; pr_poolid = 0; pr_zoneid = 0; pr_contract = 0;
};
translator psinfo_t < struct __child *C > {
  pr_nlwp = 1; pr_pid = (pid_t)arg0; pr_ppid = (arg1 & 0x8000) != 0 ? ppid : pid;
  pr_pgid = __pgid; pr_sid = __sid; pr_uid = uid; pr_euid = __euid; pr_gid = gid; pr_egid = __egid; pr_addr = 0; pr_ttydev = __tty;
  pr_fname = execname; pr_psargs = __psargs; pr_wstat = 0; pr_argc = *(int *)__stack_start; pr_argv = __stack_start + 8;
  pr_envp = __stack_start + 8 * (*(int *)__stack_start + 2); pr_dmodel = uregs[R_CS] == 0x23 ? 1 : 2;
  pr_taskid = 0; pr_projid = 0; pr_nzomb = 0; pr_poolid = 0; pr_zoneid = 0; pr_contract = 0;
};
translator psinfo_t < struct task_struct *T > {
  pr_addr = (uintptr_t)T; pr_pid = T->tgid; pr_ppid = T->real_parent->tgid; pr_fname = stringof(T->comm);
};
inline psinfo_t *curpsinfo = xlate <psinfo_t *> ((struct __process *)0);
