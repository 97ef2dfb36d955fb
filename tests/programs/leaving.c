// SPDX-License-Identifier: GPL-3.0-or-later
// A function for each kind of line that -lv prints about a probe. Only `returns` is ever called.
#define FUNCTION(name, code) \
  ".type " #name ", @function\n" #name ": .cfi_startproc\n" code "\n.cfi_endproc\n.size " #name ", . - " #name "\n"

__asm__(".text\n"                                               //
        FUNCTION(returns, "and $15, %edi; ret")                 //
        FUNCTION(jumps, "jmp returns")                          //
        FUNCTION(jumps_if, "test %edi, %edi; je returns; ret")  //
        FUNCTION(jumps_through, "jmp *%rdi")                    //
        FUNCTION(again, "dec %edi; jne again; ret")             //
        FUNCTION(counts, "1: loop 1b; ret")                     //
        FUNCTION(never, "ud2")                                  //
        FUNCTION(broken, "jmp 1f + 1; 1: .byte 0xb8; ret; nop; nop; nop"));

void returns(int);

int main(void) {
  returns(1);
  return 0;
}
