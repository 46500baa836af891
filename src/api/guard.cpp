#include "api/guard.h"

#include "mpi/process.h"

namespace toccata {

namespace {

// A code of `error_class` that MPI_Error_string explains by `text`; MPI_ERR_LASTCODE where this MPI
// cannot give codes of its own classes a text (MPICH 4.0 mixes them up, so look what came out).
int explained_code(int error_class, const std::string& text) {
  int code = 0, found_class = 0, length = 0;
  char found_text[MPI_MAX_ERROR_STRING];
  const bool explained = PMPI_Add_error_code(error_class, &code) == MPI_SUCCESS &&
                         PMPI_Add_error_string(code, text.c_str()) == MPI_SUCCESS &&
                         PMPI_Error_class(code, &found_class) == MPI_SUCCESS &&
                         PMPI_Error_string(code, found_text, &length) == MPI_SUCCESS &&
                         found_class == error_class && text == found_text;
  return explained ? code : MPI_ERR_LASTCODE;
}

}  // namespace

int raise_error(MPI_Comm comm, int error_class, const std::string& text) {
  int code = explained_code(error_class, "toccata: " + text.substr(0, MPI_MAX_ERROR_STRING - 16));
  if (code == MPI_ERR_LASTCODE) {
    if (Process* process = Process::current()) process->say_once(text);
    code = error_class;
  }
  PMPI_Comm_call_errhandler(comm, code);
  return code;
}

}  // namespace toccata
