/* dlopen of a name without a directory. The loader looks for it in many places, and a search that fails leaves no other
 * record.
 *
 * libc searches on behalf of the caller, which it finds by the return address (RPATH, RUNPATH, link-map namespaces). So
 * the hook must end in a jump: it writes its record and leaves the stack as it was. No compiler promises that for a C
 * function, so the hook is in assembly. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

#include "trace/preload/internal.h"

static struct trace_hook hook_dlopen = {"dlopen", NULL};

__attribute__((used, visibility("hidden"))) trace_function trace_dlopen(const char* name);
trace_function trace_dlopen(const char* name) {
  if (!trace_is_resolving() && name != NULL && *name != '\0') {
    if (strchr(name, '/') == NULL) {
      trace_emit(TRACE_LIBRARY_NAME, true, name);
    } else {
      trace_saw_there(name);
    }
  }
  return trace_real(&hook_dlopen);
}

#if defined __x86_64__
__asm__(
    ".text\n"
    ".globl dlopen\n"
    ".type dlopen, @function\n"
    "dlopen:\n"
    "  .cfi_startproc\n"
    "  endbr64\n"
    "  push %rdi\n"
    "  .cfi_adjust_cfa_offset 8\n"
    "  push %rsi\n"
    "  .cfi_adjust_cfa_offset 8\n"
    "  sub $8, %rsp\n"
    "  .cfi_adjust_cfa_offset 8\n"
    "  call trace_dlopen\n"
    "  add $8, %rsp\n"
    "  .cfi_adjust_cfa_offset -8\n"
    "  pop %rsi\n"
    "  .cfi_adjust_cfa_offset -8\n"
    "  pop %rdi\n"
    "  .cfi_adjust_cfa_offset -8\n"
    "  jmp *%rax\n"
    "  .cfi_endproc\n"
    ".size dlopen, . - dlopen\n");
#elif defined __aarch64__
__asm__(
    ".text\n"
    ".globl dlopen\n"
    ".type dlopen, %function\n"
    "dlopen:\n"
    "  .cfi_startproc\n"
    "  stp x29, x30, [sp, #-32]!\n"
    "  stp x0, x1, [sp, #16]\n"
    "  bl trace_dlopen\n"
    "  mov x16, x0\n"
    "  ldp x0, x1, [sp, #16]\n"
    "  ldp x29, x30, [sp], #32\n"
    "  br x16\n"
    "  .cfi_endproc\n"
    ".size dlopen, . - dlopen\n");
#endif
