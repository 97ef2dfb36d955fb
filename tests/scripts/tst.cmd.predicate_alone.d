/* @rows: clause.predicate_alone */
/* @command: -q -n 'BEGIN /1/' */
/* @status: 1 */
/* @stderr: invalid probe specifier BEGIN /1/: expected actions { } following probe description and predicate */
/* A predicate wants actions, in -n as well. */


