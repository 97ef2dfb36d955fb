/* @rows: cmd.lv */
/* @command: -l -v -n dtrace:::ERROR */
/* attributes and argument types */
