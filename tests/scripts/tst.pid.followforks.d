/* @rows: pid.forks */
/* @program: forked -O1 */
/* @sonde: -q -x followforks=no -c "@program@ fork twice" */
/* With followforks=no, DTrace's meaning: only the process itself. The program calls job() twice, its children six times. */
pid$target:a.out:job:entry { @ = count(); }
