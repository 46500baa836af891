#include "mpi/execution/mailbox.h"

#include <climits>
#include <new>

#include "mpi/data/binding.h"
#include "mpi/data/roomy_stack.h"
#include "mpi/libraries/polling.h"
#include "mpi/world/world.h"

namespace toccata {

namespace {

const DatatypeTraits packed = packed_traits();
constexpr int words = 4;  // of a head

MPI_Comm duplicate_of_self() {
  MPI_Comm made = MPI_COMM_NULL;
  on_roomy_stack([&] {
    MPI_Group group;
    if (PMPI_Comm_group(World::self(), &group) != MPI_SUCCESS) return;
    if (PMPI_Comm_create(World::self(), group, &made) == MPI_SUCCESS)
      PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    PMPI_Group_free(&group);
  });
  return made;
}

}  // namespace

Mailbox::Mailbox(MPI_Comm comm, int first_tag)
    : comm_(comm), first_tag_(first_tag), own_(duplicate_of_self()) {
  PMPI_Comm_rank(comm, &rank_);
}

// After an error, messages may be open that never end. MPI still uses their memory.
Mailbox::~Mailbox() {
  if (state_->next != MPI_REQUEST_NULL) {
    PMPI_Cancel(&state_->next);
    PMPI_Wait(&state_->next, MPI_STATUS_IGNORE);
  }
  end_sent();
  const bool is_open = !state_->sent.empty() || !state_->letters.empty();
  if (is_open) static_cast<void>(state_.release());
  if (own_ != MPI_COMM_NULL) PMPI_Comm_free(&own_);
}

int Mailbox::isend(const void* data, int count, MPI_Datatype type, int to, int window, int tag,
                   MPI_Request& request) {
  if (failed_ != MPI_SUCCESS) return failed_;
  MPI_Count size = 0;
  if (int code = PMPI_Type_size_x(type, &size); code != MPI_SUCCESS) return code;
  Sent& sent = state_->sent.emplace_back(Sent{{rank_, window, tag, size * count}});
  if (int code = PMPI_Isend(&sent.head, words, MPI_INT64_T, to, head_tag(), comm_, &sent.request);
      code != MPI_SUCCESS)
    return failed_ = code;
  const int code = PMPI_Isend(data, count, type, to, body_tag(), comm_, &request);
  return code == MPI_SUCCESS ? code : failed_ = code;
}

int Mailbox::irecv(void* data, int count, MPI_Datatype type, int from, int window, int tag,
                   MPI_Request& request) {
  if (failed_ != MPI_SUCCESS) return failed_;
  if (own_ == MPI_COMM_NULL) return failed_ = MPI_ERR_COMM;
  int own_tag = next_own_tag_;
  if (free_own_tags_.empty()) {
    ++next_own_tag_;
  } else {
    own_tag = free_own_tags_.back();
    free_own_tags_.pop_back();
  }
  if (int code = PMPI_Irecv(data, count, type, 0, own_tag, own_, &request); code != MPI_SUCCESS)
    return code;
  const auto box = boxes_.try_emplace({from, window, tag}).first;
  if (box->second.letters.empty()) {
    box->second.own_tags.push_back(own_tag);
    return MPI_SUCCESS;
  }
  box->second.letters.front()->own_tag = own_tag;
  box->second.letters.pop_front();
  if (box->second.letters.empty()) boxes_.erase(box);
  return MPI_SUCCESS;
}

int Mailbox::progress() {
  if (failed_ != MPI_SUCCESS) return failed_;
  try {
    failed_ = take_heads();
    for (auto each = state_->letters.begin();
         failed_ == MPI_SUCCESS && each != state_->letters.end();) {
      bool ended = false;
      failed_ = pass_on(*each, ended);
      if (ended) free_own_tags_.push_back(each->own_tag);
      each = ended ? state_->letters.erase(each) : std::next(each);
    }
  } catch (const std::bad_alloc&) {
    failed_ = MPI_ERR_NO_MEM;
  }
  return failed_;
}

void Mailbox::end_sent() {
  std::erase_if(state_->sent, [](Sent& each) {
    bool ended = false;
    return Polling::test(each.request, ended) == MPI_SUCCESS && ended;
  });
}

int Mailbox::take_heads() {
  State& state = *state_;
  end_sent();
  for (bool ended = true; ended;) {
    if (state.next == MPI_REQUEST_NULL)
      if (int code = PMPI_Irecv(&state.next_head, words, MPI_INT64_T, MPI_ANY_SOURCE, head_tag(),
                                comm_, &state.next);
          code != MPI_SUCCESS)
        return code;
    if (int code = Polling::test(state.next, ended); code != MPI_SUCCESS) return code;
    if (!ended) break;
    if (int code = take_body(state.next_head); code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

int Mailbox::take_body(const Head& head) {
  Letter& letter = state_->letters.emplace_back();
  letter.bytes = head.bytes;
  letter.data.reset(new char[letter.bytes]);
  const auto box = boxes_.try_emplace({head.from, head.window, head.tag}).first;
  if (box->second.own_tags.empty()) {
    box->second.letters.push_back(&letter);
  } else {
    letter.own_tag = box->second.own_tags.front();
    box->second.own_tags.pop_front();
    if (box->second.own_tags.empty()) boxes_.erase(box);
  }
  if (letter.bytes > INT_MAX)
    if (int code = make_datatype({{letter.data.get(), letter.bytes, &packed}}, letter.type);
        code != MPI_SUCCESS)
      return code;
  const auto sender = static_cast<int>(head.from);
  return letter.bytes > INT_MAX
             ? PMPI_Irecv(MPI_BOTTOM, 1, letter.type.get(), sender, body_tag(), comm_, &letter.body)
             : PMPI_Irecv(letter.data.get(), static_cast<int>(letter.bytes), MPI_PACKED, sender,
                          body_tag(), comm_, &letter.body);
}

// The own message ends when the receive has taken it. So its tag is not used again before that.
int Mailbox::pass_on(Letter& letter, bool& ended) {
  if (!letter.has_arrived)
    if (int code = Polling::test(letter.body, letter.has_arrived);
        code != MPI_SUCCESS || !letter.has_arrived)
      return code;
  if (letter.own_tag < 0) return MPI_SUCCESS;
  if (!letter.is_passed_on) {
    letter.is_passed_on = true;
    const int code =
        letter.bytes > INT_MAX
            ? PMPI_Issend(MPI_BOTTOM, 1, letter.type.get(), 0, letter.own_tag, own_, &letter.own)
            : PMPI_Issend(letter.data.get(), static_cast<int>(letter.bytes), MPI_PACKED, 0,
                          letter.own_tag, own_, &letter.own);
    if (code != MPI_SUCCESS) return code;
  }
  return Polling::test(letter.own, ended);
}

}  // namespace toccata
