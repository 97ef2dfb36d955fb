/* @rows: cmd.Gh */
/* @command: -h -s @script@ -o @scratch@/x.h */
provider app1 {
	probe a_name_that_is_too_long_for_dtrace_by_a_letter_or_two_or_even_three(int);
};
