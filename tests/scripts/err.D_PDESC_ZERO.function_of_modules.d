/* @program: structs -O2 -g */
/* @command: -x errtags -c @program@ -n pid*:str*:vsit:entry */
/* @rows: msg.no_match */
