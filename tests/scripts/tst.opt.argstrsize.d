/* @sonde: -q -x argstr=plain -x argstrsize=4 -c "sh -c 'echo abcdefgh > /dev/null'" */
/* as many bytes of a buffer as asked for */
syscall::write:entry { printf("%s\n", argstr); }
