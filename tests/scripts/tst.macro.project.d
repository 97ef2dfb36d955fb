/* @rows: macro.project */
/* Linux has neither projects nor tasks of theirs: both are 0. */
BEGIN { printf("%d %d\n", $projid, $taskid); exit(0); }
