translator lwpsinfo_t < struct task_struct *z > { pr_lwpid = z->nosuch; };
/* @rows: xlate.task_struct */
