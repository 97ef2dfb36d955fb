/* @rows: opt.errtags msg.errtags */
/* @command: -n BEGIN{nosuch()} */
/* @status: 1 */
/* @stderr: invalid probe specifier BEGIN{nosuch()}: */
/* without errtags no tag */
