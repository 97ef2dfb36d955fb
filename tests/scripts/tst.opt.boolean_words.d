/* @rows: opt.boolean */
/* @command: -x quiet=YES -x aggsortrev=Enabled -x aggsortkey=on -x flowindent=Disable -x rawbytes=unset -x zdefs=set -x argref=True -x droptags=false -s @script@ more */
/* the words of yes and no, in any case */
nosuch:::probe { trace(1); }
BEGIN { @["a"] = count(); @["b"] = count(); trace("quiet"); exit(0); }
