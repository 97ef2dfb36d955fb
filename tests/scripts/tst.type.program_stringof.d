/* @program: structs -O2 -g */
/* @sonde: -q -c @program@ */
/* @rows: type.program */
/* A string of the program that is named by its address. */
pid$target:a.out:visit:entry { printf("%s %s\n", stringof((char *)arg1), stringof(arg1)); printf("%d\n", strlen((char *)arg1)); }
