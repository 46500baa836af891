#!/bin/bash
# Hydra (MPICH, Intel MPI): a gfortran program writes every line of a redirected output by a system call.
#
# Version: PyPI mpich==5.0.2; impi-rt==2021.18.1; gfortran 12.
# Seen: 2026-11-28.
#
# The program writes 1000 lines to standard output, which is a file, and counts its write system calls
# (/proc/self/io). Started alone, it needs fewer than 10. Started by mpiexec, it needs 1000, because mpiexec sets
# GFORTRAN_UNBUFFERED_PRECONNECTED=y in the environment of the ranks. That setting keeps lines in order on
# a terminal, but it also applies to files. The program does not use MPI. Under Open MPI 5.0.11, it
# needs as few as alone.
#
# Output:
#   alone: fewer than 10
#   mpich: 1000
#   impi-rt: 1000
set -eu
command -v gfortran >/dev/null || { echo "skipped: needs gfortran" >&2; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for package in mpich==5.0.2 impi-rt==2021.18.1; do
  python3 -m venv "${package%==*}"
  "${package%==*}/bin/pip" install --quiet --disable-pip-version-check "$package"
done
export I_MPI_ROOT=$work/impi-rt I_MPI_FABRICS=shm
unset GFORTRAN_UNBUFFERED_PRECONNECTED

cat >program.f90 <<'END'
program lines
  implicit none
  character(len=80) :: line
  integer :: i, calls, before, code
  before = writes()
  do i = 1, 1000
    write (*, '(i5)') i
  end do
  flush (6)
  calls = writes() - before
  open (10, file='calls')
  write (10, '(i0)') calls
contains
  integer function writes()
    open (20, file='/proc/self/io', action='read')
    do
      read (20, '(a)', iostat=code) line
      if (code /= 0) exit
      if (line(1:6) == 'syscw:') read (line(7:), *) writes
    end do
    close (20)
  end function
end program
END
gfortran -o program program.f90
seen=
for mpi in alone mpich impi-rt; do
  command="timeout 120 $mpi/bin/mpiexec -n 1 sh -c"
  [ $mpi != alone ] || command="sh -c"
  $command './program >lines' || echo "exit code $?" >calls
  calls=$(cat calls)
  [ "$calls" -ge 10 ] || calls="fewer than 10"
  seen+="${seen:+$'\n'}$mpi: $calls"
done
expected='alone: fewer than 10
mpich: 1000
impi-rt: 1000'
if [ "$seen" != "$expected" ]; then
  echo "changed: expected '${expected//$'\n'/; }', saw '${seen//$'\n'/; }'" >&2
  exit 1
fi
echo "$seen"
