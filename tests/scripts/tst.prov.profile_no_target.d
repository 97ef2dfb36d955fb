/* @rows: prov.profile */
/* @sonde: -x source=ptrace */
/* @status: 1 */
/* @stderr: needs a traced process */
/* with ptrace there must be somebody to sample */
profile-97 { trace(1); }
