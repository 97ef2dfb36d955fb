/* @rows: opt.diagnostics */
/* @command: -e -x diagnostics=json -s @script@ */
/* @status: 1 */
/* @stderr: "line":10,"column":8,"end":14,"severity":"error","tag":"D_IDENT_UNDEF","message":"failed to resolve nosuch: Unknown variable name" */
/* An object a line, for editors. */


BEGIN
{
	trace(nosuch);
}
