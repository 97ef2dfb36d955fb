/* @rows: msg.cpp_failed */
/* @command: -C -s @script@ */
/* @status: 1 */
/* @stderr: no/such/file.h */
/* @stderr: failed to compile script tst.msg.cpp_failed.d: Preprocessor failed to process input program */
/* cpp says no. */
#include "no/such/file.h"

BEGIN
{
}
