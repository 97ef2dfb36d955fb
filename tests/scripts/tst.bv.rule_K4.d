struct task_struct *th;
BEGIN { th = 0; trace(xlate <psinfo_t> (th).pr_addr); exit(0); }
