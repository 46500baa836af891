/* After MPI_Init, one rank loses rights, as servers and sandboxes do:
 *
 *   narrowed user RANK    it becomes another user, whose memory others cannot read, nor it theirs
 *   narrowed calls RANK   system calls to read other processes' memory fail, and so do new files
 *
 * Then every collective runs on MPI_COMM_WORLD and on new communicators. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../guest/guest.h"

static void forbid_calls(void) {
#define DENIED(number)                                 \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), \
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      DENIED(SYS_process_vm_readv),
      DENIED(SYS_process_vm_writev),
      DENIED(SYS_memfd_create),
      DENIED(SYS_fallocate),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    perror("seccomp");
}

static void become_another_user(void) {
  enum { another = 65534 };
  if (setgid(another) != 0 || setuid(another) != 0) perror("setuid");
}

static void everything(MPI_Comm comm) {
  static const int sizes[] = {1, 300, 20000};
  for (int call = 0; call < 3; ++call)
    for (int i = 0; i < 3; ++i) faults += every_collective(comm, sizes[i], call);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  MPI_Comm early, late;
  MPI_Comm_dup(MPI_COMM_WORLD, &early);
  faults += every_collective(early, 300, 0);
  faults += every_collective(early, 20000, 0);
  if (rank == atoi(argv[2])) strcmp(argv[1], "user") == 0 ? become_another_user() : forbid_calls();
  everything(early);
  everything(MPI_COMM_WORLD);
  MPI_Comm_dup(MPI_COMM_WORLD, &late);
  everything(late);
  MPI_Comm_free(&early);
  MPI_Comm_free(&late);
  finish();
  return 0;
}
