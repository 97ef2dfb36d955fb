/* @rows: msg.nothing */
/* @command: -s @script@ */
/* @status: 1 */
/* @stderr: no probes matched */
/* A script without a probe. */
int x;
