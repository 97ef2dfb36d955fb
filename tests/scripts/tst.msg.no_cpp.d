/* @rows: msg.cpp_failed opt.cpppath */
/* @command: -C -x cpppath=/no/such/cpp -s @script@ */
/* @status: 1 */
/* @stderr: /no/such/cpp: No such file or directory; install the package cpp, or name another preprocessor: -x cpppath=PATH */
/* @stderr: Preprocessor failed to process input program */
/* There is no such preprocessor. */
BEGIN
{
}
