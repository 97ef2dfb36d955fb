/* SPDX-License-Identifier: GPL-3.0-or-later */
/* struct __siginfo stands for the arguments of the signal probes (see procfs.d); 17 is SIGCHLD. */
struct __siginfo;
typedef union sigval { int sival_int; void *sival_ptr; } sigval_t;
typedef struct siginfo {
  int si_signo; int si_errno; int si_code; pid_t si_pid; uid_t si_uid; int si_status; uintptr_t si_addr; sigval_t si_value;
  long si_band; int si_fd; clock_t si_utime; clock_t si_stime;
} siginfo_t;
translator sigval_t < int64_t V > { sival_int = (int)V; sival_ptr = (void *)V; };
translator siginfo_t < struct __siginfo *S > {
  si_signo = (int)arg0; si_code = (int)arg1; si_pid = (pid_t)arg2; si_uid = (uid_t)arg5; si_errno = (int)(arg5 >> 32);
  si_addr = (uintptr_t)arg6; si_value = xlate <sigval_t> (arg7);
  si_status = arg0 == 17 && arg1 > 0 ? (int)arg8 : 0; si_fd = arg0 == 17 && arg1 > 0 ? 0 : (int)arg8;
  si_band = arg0 == 17 && arg1 > 0 ? 0 : arg9;
  si_utime = arg0 == 17 && arg1 > 0 ? (uint32_t)arg9 : 0; si_stime = arg0 == 17 && arg1 > 0 ? (uint32_t)(arg9 >> 32) : 0;
};
