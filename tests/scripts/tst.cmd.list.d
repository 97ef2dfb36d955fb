/* @rows: cmd.l prov.BEGIN prov.END prov.ERROR */
/* @command: -l -P dtrace */
/* the three probes of the provider dtrace are the first three */
