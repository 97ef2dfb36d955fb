/* @rows: opt.flowindent out.flow cmd.F */
/* @sonde: -F -q -c "sh -c 'exec /bin/echo hello >/dev/null'" */
/* @cpu: 0 */
/* => and <= of a system call, what is between them two columns in */
syscall::write:entry /arg0 == 1/ { self->in = 1; trace(arg2); }
syscall::write:entry /self->in/ { printf("second clause"); }
syscall::write:return /self->in/ { self->in = 0; trace(arg1); }
