/* @program: frames -O2 -static */
/* @sonde: -q -c @program@ */
/* @offsets */
/* @rows: act.ustack */
/* @only: ptrace because the linker made no .eh_frame_hdr: where .eh_frame lies is nowhere in memory */
/* A program without a dynamic linker. */
int n;
pid$target:a.out:bottom:entry /n++ == 0/ { ustack(5); }
