/* @rows: bv.curthread_opaque */
/* @sonde: -q -x source=ptrace */
/* @needs: /sys/kernel/btf/vmlinux */
/* @status: 1 */
/* @stderr: could not enable tracing: what it follows is of the kernel, which only the kmod or bpf source sees */

BEGIN { trace(curthread->pid); exit(0); }
