/* @rows: cmd.empty_field_in_front */
/* @command: -q -f ::fork: */
/* @status: 1 */
/* @stderr: invalid probe specifier ::fork:: probe description :fork:: does not match any probes */
/* In -P, -m and -f an empty field in front says nothing. */


