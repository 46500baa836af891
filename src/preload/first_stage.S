/* For each function that the library exports, a jump to the address in its slot. At first, a slot
 * contains the address of code that finds the function, stores its address there, and jumps to it.
 * All registers with arguments reach the function unchanged. */

        .set index, 0

        .section .rodata
        .globl toccata_first_names
        .hidden toccata_first_names
toccata_first_names:
        .section .rodata.offsets, "a"
        .balign 4
        .globl toccata_first_offsets
        .hidden toccata_first_offsets
toccata_first_offsets:
        .section .data.rel.local, "aw"
        .balign 8
        .globl toccata_first_slots
        .hidden toccata_first_slots
toccata_first_slots:

        .macro slot name
        .section .rodata
.Lname_\name:
        .asciz "\name"
        .section .rodata.offsets, "a"
        .long .Lname_\name - toccata_first_names
        .section .data.rel.local, "aw"
        .quad .Lfind_\name
        .text
        .balign 16
        .globl \name
        .type \name, %function
        .endm

#if defined(__x86_64__)

        .macro function name
        slot \name
\name:
        endbr64
        jmp *toccata_first_slots+8*index(%rip)
        .size \name, . - \name
.Lfind_\name:
        endbr64
        push $index
        jmp find
        .set index, index + 1
        .endm

/* On the stack: the index, then the address to which the call returns. */
        .text
        .balign 16
find:
        .cfi_startproc
        .cfi_def_cfa_offset 16
        push %rbp
        .cfi_def_cfa_offset 24
        .cfi_offset %rbp, -24
        mov %rsp, %rbp
        .cfi_def_cfa_register %rbp
        .irp each, rax, rdi, rsi, rdx, rcx, r8, r9, r10
        push %\each
        .endr
        sub $128, %rsp
        .irp each, 0, 1, 2, 3, 4, 5, 6, 7
        movups %xmm\each, 16*\each(%rsp)
        .endr
        mov 8(%rbp), %rdi
        mov 16(%rbp), %rsi
        and $-16, %rsp
        call toccata_first_find
        mov %rax, %r11
        lea -192(%rbp), %rsp
        .irp each, 0, 1, 2, 3, 4, 5, 6, 7
        movups 16*\each(%rsp), %xmm\each
        .endr
        add $128, %rsp
        .irp each, r10, r9, r8, rcx, rdx, rsi, rdi, rax
        pop %\each
        .endr
        pop %rbp
        .cfi_def_cfa %rsp, 16
        add $8, %rsp
        .cfi_def_cfa_offset 8
        jmp *%r11
        .cfi_endproc

#elif defined(__aarch64__)

        .macro function name
        slot \name
\name:
        hint #34 /* bti c */
        adrp x16, toccata_first_slots+8*index
        ldr x16, [x16, #:lo12:toccata_first_slots+8*index]
        br x16
        .size \name, . - \name
.Lfind_\name:
        hint #34
        mov w17, #index
        b find
        .set index, index + 1
        .endm

        .text
        .balign 16
find:
        stp x29, x30, [sp, #-224]!
        mov x29, sp
        stp x0, x1, [sp, #16]
        stp x2, x3, [sp, #32]
        stp x4, x5, [sp, #48]
        stp x6, x7, [sp, #64]
        str x8, [sp, #80]
        stp q0, q1, [sp, #96]
        stp q2, q3, [sp, #128]
        stp q4, q5, [sp, #160]
        stp q6, q7, [sp, #192]
        mov w0, w17
        mov x1, x30
        bl toccata_first_find
        mov x16, x0
        ldp q6, q7, [sp, #192]
        ldp q4, q5, [sp, #160]
        ldp q2, q3, [sp, #128]
        ldp q0, q1, [sp, #96]
        ldr x8, [sp, #80]
        ldp x6, x7, [sp, #64]
        ldp x4, x5, [sp, #48]
        ldp x2, x3, [sp, #32]
        ldp x0, x1, [sp, #16]
        ldp x29, x30, [sp], #224
        br x16

#endif
