#include "mpi/agreement/channel.h"

#include <algorithm>
#include <utility>

#include "mpi/agreement/agreement.h"
#include "mpi/settings/difference.h"
#include "mpi/settings/settings.h"
#include "mpi/world/ranks.h"
#include "mpi/world/world.h"

namespace toccata {

Channel::Channel(PrivateWorld& world, MPI_Comm user, const Stance& stance, bool separate)
    : world_(world), user_(user), stance_(stance), separate_(separate) {
  PMPI_Comm_rank(user, &route_.rank);
  PMPI_Comm_size(user, &route_.p);
  std::vector<int> ranks = ranks_in_world(user);
  within_world_ = std::ranges::find(ranks, MPI_UNDEFINED) == ranks.end();
  if (within_world_) route_.ranks = Translation(std::move(ranks));
  end_of_tags_ = next_persistent_tag_ = world.window_size() / 2;
  end_of_persistent_tags_ = world.window_size();
}

void Channel::close() {
  if (agreement_ != nullptr) {
    Transport::wait(agreement_->words_request);
    Transport::wait(agreement_->windows_request);
    agreement_.reset();
  }
  if (window_ >= 0 && !spoilt_) {
    world_.give_back(window_);
    if (has_part_of_requests_) world_.give_back_part_of_requests();
  }
  forget();
  if (own_ != MPI_COMM_NULL) PMPI_Comm_free(&own_);
}

int Channel::start(bool at_once, bool never_waits, bool blocking) {
  if (state_ != State::fresh) return MPI_SUCCESS;
  never_waits_ = never_waits;
  blocking_ = blocking;
  state_ = State::agreeing;
  agreement_ = std::make_unique<Agreement>();
  window_ = world_.is_open() && within_world_ ? world_.take_window() : -1;
  const bool has_tags = world_.has_tags(window_);
  has_part_of_requests_ = separate_ && has_tags && world_.take_part_of_requests();
  const bool may_have_part = separate_ ? has_part_of_requests_ : has_tags;
  part_ = may_have_part ? world_.node().reserve(window_) : nullptr;
  // MPI may call us when we learn that we need it, and communicators must not be created then.
  if (may_use_mailbox()) static_cast<void>(world_.mailbox());
  return checked(agree(at_once));
}

// After a failure, the state of the other ranks is unknown. They may regard our window as used, and
// MPI may still write to its arguments.
int Channel::checked(int code) {
  if (code == MPI_SUCCESS || is_settled()) return code;
  spoil();
  if (agreement_ != nullptr && (agreement_->words_request != MPI_REQUEST_NULL ||
                                agreement_->windows_request != MPI_REQUEST_NULL))
    static_cast<void>(agreement_.release());
  refuse("");
  return code;
}

int Channel::agree(bool at_once) {
  Agreement& agreement = *agreement_;
  agreement.window = static_cast<std::uint16_t>(window_);
  auto& mine = agreement.mine;
  mine[window] = agreement.window;
  mine[settings] = stance_.settings;
  mine[window_complement] = ~mine[window];
  mine[settings_complement] = ~mine[settings];
  mine[lacks_world] = window_ < 0 ? 1 : 0;
  mine[lacks_tags] = world_.has_tags(window_) ? 0 : 1;
  mine[lacks_places] = stance_.knows_places ? 0 : 1;
  mine[lacks_part] = part_ == nullptr ? 1 : 0;
  mine[calls] = part_ == nullptr ? 0 : part_->last_call;
  const int code =
      start_agreement(mine, agreement.largest, user_, agreement.words_request, blocking_);
  return code == MPI_SUCCESS && at_once && world_.is_open() && within_world_ ? spread() : code;
}

int Channel::spread() {
  Agreement& agreement = *agreement_;
  agreement.windows.resize(route_.p);
  if (blocking_)
    return PMPI_Allgather(&agreement.window, 1, MPI_UINT16_T, agreement.windows.data(), 1,
                          MPI_UINT16_T, user_);
  return PMPI_Iallgather(&agreement.window, 1, MPI_UINT16_T, agreement.windows.data(), 1,
                         MPI_UINT16_T, user_, &agreement.windows_request);
}

int Channel::test() {
  std::thread::id none;
  if (is_settled() || !tester_.compare_exchange_strong(none, std::this_thread::get_id()))
    return MPI_SUCCESS;
  const int code = checked(advance());
  tester_ = std::thread::id();
  return code;
}

int Channel::advance() {
  bool ended = false;
  if (state_ == State::agreeing) {
    if (int code = Transport::test(agreement_->words_request, ended); code != MPI_SUCCESS || !ended)
      return code;
    return evaluate();
  }
  if (state_ == State::spreading) {
    const int code = Transport::test(agreement_->windows_request, ended);
    if (code == MPI_SUCCESS && ended) settle();
    return code;
  }
  return MPI_SUCCESS;
}

// All ranks get the same result here.
int Channel::evaluate() {
  const auto& largest = agreement_->largest;
  all_know_places_ = largest[lacks_places] == 0;
  if (largest[settings] != ~largest[settings_complement]) {
    Transport::wait(agreement_->windows_request);
    refuse(difference_of_settings(user_));
    return MPI_SUCCESS;
  }
  const bool by_mail = largest[lacks_world] == 0 && may_use_mailbox();
  if (largest[lacks_tags] != 0 && never_waits_ && !by_mail) {
    Transport::wait(agreement_->windows_request);
    // Without a separate channel, a persistent call uses the communicator's.
    refuse(separate_
               ? ""
               : "there are too many communicators for nonblocking collectives; free unused ones");
    return MPI_SUCCESS;
  }
  if (largest[lacks_tags] != 0 && !never_waits_) return duplicate();
  state_ = State::spreading;
  if (!agreement_->windows.empty()) return advance();  // the exchange has already started
  if (largest[window] != ~largest[window_complement]) return spread();
  settle();
  return MPI_SUCCESS;
}

// Creates a communicator of its own. This is necessary in three cases: some ranks are in another
// world, no window is free, or there is no private world, because the library did not see MPI_Init.
// In the third case, the new communicator becomes the private world if it has all ranks and no
// other thread might do the same.
int Channel::duplicate() {
  if (int code = Transport::wait(agreement_->windows_request); code != MPI_SUCCESS) return code;
  if (blocking_) {
    refuse(
        "an MPI_Comm_idup of this communicator may be under way; complete it before the first "
        "collective");
    return MPI_SUCCESS;
  }
  if (within_world_ && !world_.is_open() && route_.p == world_.size() &&
      World::thread_level() != MPI_THREAD_MULTIPLE && world_.open(user_) == MPI_SUCCESS) {
    state_ = State::fresh;
    return start(false, never_waits_, blocking_);
  }
  own_ = bare_duplicate(user_);
  if (own_ == MPI_COMM_NULL)
    refuse("MPI cannot create a private communicator; free unused communicators");
  else
    settle();
  return MPI_SUCCESS;
}

void Channel::settle() {
  const bool has_windows = own_ == MPI_COMM_NULL;
  route_.comm = has_windows ? world_.comm() : own_;
  if (has_windows) {
    const std::vector<std::uint16_t>& windows = agreement_->windows;
    const bool alike =
        std::ranges::all_of(windows, [&](std::uint16_t each) { return each == windows[0]; });
    if (!alike) route_.windows = agreement_->windows;
    route_.window = window_;
    route_.window_size = world_.window_size();
    if (agreement_->largest[lacks_tags] != 0) {
      route_.mailbox = &world_.mailbox();
      return refuse("");
    }
    all_share_memory_ = agreement_->largest[lacks_part] == 0;
    if (all_share_memory_) make_board(agreement_->largest[calls] + 1);
  } else {
    if (window_ >= 0) world_.give_back(std::exchange(window_, -1));
    route_.ranks = Translation();
  }
  agreement_.reset();
  state_ = State::ready;
}

// The board of the ranks on our node, if there are several.
void Channel::make_board(std::uint64_t first_call) {
  const NodeMemory& node = world_.node();
  std::vector<node::Part*> parts;
  std::vector<int> places;
  std::vector<int> board_ranks(route_.p, -1);
  for (int rank = 0; rank < route_.p; ++rank) {
    const int place = node.place(route_.ranks(rank));
    if (place < 0) continue;
    board_ranks[rank] = static_cast<int>(parts.size());
    places.push_back(place);
    parts.push_back(
        node.part(place, route_.windows.empty() ? route_.window : route_.windows[rank]));
  }
  if (parts.size() < 2) return;
  board_ = std::make_unique<node::Board>(*part_, std::move(parts), board_ranks[route_.rank],
                                         first_call, node.direct_reading(places));
  route_.board = board_.get();
  route_.board_ranks = std::move(board_ranks);
  route_.spare_cores = node.has_spare_cores();
}

void Channel::refuse(std::string why) {
  agreement_.reset();
  why_refused_ = std::move(why);
  state_ = State::refused;
}

Channel::Ticket Channel::take_tags(int tags) {
  if (next_tag_ + tags > end_of_tags_) {
    next_tag_ = first_tag_of_requests;
    ++lap_;
  }
  next_tag_ += tags;
  return {next_tag_ - tags, lap_};
}

int Channel::take_persistent_tags(int tags) {
  if (next_persistent_tag_ + tags > end_of_persistent_tags_) return -1;
  next_persistent_tag_ += tags;
  return next_persistent_tag_ - tags;
}

void Channel::enter(Ticket& ticket, bool publishes) {
  const std::lock_guard lock(mutex_);
  ++under_way_[ticket.lap];
  if (publishes && (!is_settled() || board_ != nullptr)) ticket.turn = publications_++;
}

void Channel::leave(const Ticket& ticket) {
  const std::lock_guard lock(mutex_);
  if (const auto lap = under_way_.find(ticket.lap); --lap->second == 0) under_way_.erase(lap);
  if (ticket.turn) ended_publications_.fetch_add(1, std::memory_order_release);
}

bool Channel::may_begin(const Ticket& ticket) {
  const std::lock_guard lock(mutex_);
  const bool has_turn =
      !ticket.turn || static_cast<std::int32_t>(*ticket.turn - ended_publications_) <= 0;
  return under_way_.begin()->first == ticket.lap && has_turn;
}

}  // namespace toccata
