/* Makes an MPI library accept the memory of a substitute for a GPU (DEVICES); to be preloaded. It
 * reports this ability. Messages from and to device memory go through memory of its own, until they
 * are received or waited for. It also keeps a digest of all messages. */
#define _GNU_SOURCE
#include <mpi.h>

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int MPIX_Query_cuda_support(void) { return 1; }
int MPIX_Query_rocm_support(void) { return 1; }
int MPIX_Query_ze_support(void) { return 1; }

static long long messages = 0, from_devices = 0;
static uint64_t digest = 0;

/* The digest distinguishes messages by sender and receiver; their order does not matter. */
static void count(int is_send, int peer, int tag, long long bytes, int there) {
  uint64_t mixed = 0x9e3779b97f4a7c15u;
  const uint64_t numbers[] = {(uint64_t)is_send, (uint64_t)peer, (uint64_t)tag, (uint64_t)bytes};
  if (peer == MPI_PROC_NULL) return;
  for (int i = 0; i < 4; ++i) {
    mixed = (mixed ^ numbers[i]) * 0xff51afd7ed558ccdu;
    mixed ^= mixed >> 29;
  }
  digest += mixed;
  ++messages;
  from_devices += there;
}

long long aware_messages(void) { return messages; }
long long aware_from_devices(void) { return from_devices; }
uint64_t aware_digest(void) { return digest; }

static int is_device(const void* address) {
  static int (*known)(const void*) = NULL;
  if (known == NULL && getenv("DEVICES") != NULL) {
    void* runtime = dlopen(getenv("DEVICES"), RTLD_NOW | RTLD_NOLOAD);
    if (runtime != NULL) *(void**)&known = dlsym(runtime, "stand_in_is_device");
  }
  return known != NULL && known(address);
}

static void copy(void* into, const void* from, size_t bytes) {
  int (*function)(void*, const void*, size_t);
  void* runtime = dlopen(getenv("DEVICES"), RTLD_NOW | RTLD_NOLOAD);
  *(void**)&function = dlsym(runtime, "stand_in_copy");
  function(into, from, bytes);
}

/* Open messages from or into the memory of a device. */
enum { most = 4096 };
static struct {
  int used, is_send;
  MPI_Request request;
  void *device, *own;
  size_t bytes;
} open_ones[most];

static void* keep(MPI_Request request, int is_send, void* device, void* own, size_t bytes) {
  for (int i = 0; i < most; ++i)
    if (!open_ones[i].used) {
      open_ones[i].used = 1;
      open_ones[i].is_send = is_send;
      open_ones[i].request = request;
      open_ones[i].device = device;
      open_ones[i].own = own;
      open_ones[i].bytes = bytes;
      return own;
    }
  abort();
}

static void ended(MPI_Request request, const MPI_Status* status) {
  int cancelled = 0;
  for (int i = 0; i < most; ++i)
    if (open_ones[i].used && open_ones[i].request == request) {
      if (status != NULL) MPI_Test_cancelled((MPI_Status*)status, &cancelled);
      if (!open_ones[i].is_send && !cancelled)
        copy(open_ones[i].device, open_ones[i].own, open_ones[i].bytes);
      free(open_ones[i].own);
      open_ones[i].used = 0;
      return;
    }
}

/* For datatypes without gaps; the library uses no others for device memory. */
static size_t bytes_of(int number, MPI_Datatype type) {
  int size;
  PMPI_Type_size(type, &size);
  return (size_t)number * (size_t)size;
}

int PMPI_Isend(const void* data, int number, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
               MPI_Request* request) {
  const size_t bytes = bytes_of(number, type);
  const int there = bytes > 0 && is_device(data);
  void* own = NULL;
  count(1, peer, tag, (long long)bytes, there);
  if (there) copy(own = malloc(bytes), data, bytes);
  const int code = NEXT(PMPI_Isend)(there ? own : data, number, type, peer, tag, comm, request);
  if (there) keep(*request, 1, NULL, own, bytes);
  return code;
}

int PMPI_Irecv(void* data, int number, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
               MPI_Request* request) {
  const size_t bytes = bytes_of(number, type);
  const int there = bytes > 0 && is_device(data);
  void* own = NULL;
  count(0, peer, tag, (long long)bytes, there);
  if (there) copy(own = malloc(bytes), data, bytes);
  const int code = NEXT(PMPI_Irecv)(there ? own : data, number, type, peer, tag, comm, request);
  if (there) keep(*request, 0, data, own, bytes);
  return code;
}

int PMPI_Send(const void* data, int number, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
  count(1, peer, tag, (long long)bytes_of(number, type), 0);
  return NEXT(PMPI_Send)(data, number, type, peer, tag, comm);
}

int PMPI_Recv(void* data, int number, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Status* status) {
  count(0, peer, tag, (long long)bytes_of(number, type), 0);
  return NEXT(PMPI_Recv)(data, number, type, peer, tag, comm, status);
}

int PMPI_Sendrecv(const void* data, int number, MPI_Datatype type, int to, int tag, void* into,
                  int into_number, MPI_Datatype into_type, int from, int into_tag, MPI_Comm comm,
                  MPI_Status* status) {
  const size_t sent = bytes_of(number, type), received = bytes_of(into_number, into_type);
  const int reads = sent > 0 && is_device(data), writes = received > 0 && is_device(into);
  void *own = NULL, *own_into = NULL;
  count(1, to, tag, (long long)sent, reads);
  count(0, from, into_tag, (long long)received, writes);
  if (reads) copy(own = malloc(sent), data, sent);
  if (writes) own_into = malloc(received);
  const int code =
      NEXT(PMPI_Sendrecv)(reads ? own : data, number, type, to, tag, writes ? own_into : into,
                          into_number, into_type, from, into_tag, comm, status);
  if (writes) copy(into, own_into, received);
  free(own);
  free(own_into);
  return code;
}

int PMPI_Allreduce(const void* in, void* out, int number, MPI_Datatype type, MPI_Op operation,
                   MPI_Comm comm) {
  const size_t bytes = bytes_of(number, type);
  const int reads = in != MPI_IN_PLACE && is_device(in), writes = is_device(out);
  void *own_in = NULL, *own_out = NULL;
  if (reads) copy(own_in = malloc(bytes), in, bytes);
  if (writes) copy(own_out = malloc(bytes), out, bytes);
  const int code = NEXT(PMPI_Allreduce)(reads ? own_in : in, writes ? own_out : out, number, type,
                                        operation, comm);
  if (writes) copy(out, own_out, bytes);
  free(own_in);
  free(own_out);
  return code;
}

int MPI_Allreduce(const void* in, void* out, int number, MPI_Datatype type, MPI_Op operation,
                  MPI_Comm comm) {
  return PMPI_Allreduce(in, out, number, type, operation, comm);
}

int PMPI_Wait(MPI_Request* request, MPI_Status* status) {
  const MPI_Request before = *request;
  MPI_Status own;
  const int code = NEXT(PMPI_Wait)(request, &own);
  ended(before, &own);
  if (status != MPI_STATUS_IGNORE) *status = own;
  return code;
}

int PMPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  const MPI_Request before = *request;
  MPI_Status own;
  const int code = NEXT(PMPI_Test)(request, flag, &own);
  if (*flag) ended(before, &own);
  if (status != MPI_STATUS_IGNORE) *status = own;
  return code;
}
