// Delays packets to the hosts of up.sh: a delay line on the packet queues (NFQUEUE) of several
// network namespaces, for kernels without netem.
//
//   delayd [-r PRIORITY] [-f PIDFILE] NAMESPACE:QUEUE:MICROSECONDS...
//
// All packets of a queue wait for the same time, so they leave in the order of their arrival, and
// one verdict releases all packets that are due.
//
//   kernel ──packet number──▶ recv    due: now + delay     verdict "accept up to this" ──▶ kernel
//                             ───────▶ [ 7 6 5 4 ] ───────▶

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <fcntl.h>
#include <fstream>
#include <libmnl/libmnl.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_queue.h>
#include <memory>
#include <optional>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC, like the timer below
using std::chrono::nanoseconds;

constexpr std::uint32_t most_waiting = 1 << 16;              // packets; more are released at once
constexpr nanoseconds early = std::chrono::microseconds(2);  // the delay of a timer

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

struct Options {
  int priority = 0;  // of SCHED_FIFO; 0 for none
  std::string pid_file;
};

// Numbers for the last line of output.
struct Statistics {
  std::uint64_t packets = 0, verdicts = 0;
  nanoseconds late_in_all{0}, latest{0};

  void release(nanoseconds late) {
    ++packets;
    late_in_all += late;
    latest = std::max(latest, late);
  }
  void say() const {
    const auto microseconds = [](nanoseconds time) {
      return static_cast<double>(time.count()) / 1e3;
    };
    const double mean = packets > 0 ? microseconds(late_in_all) / static_cast<double>(packets) : 0;
    std::fprintf(stderr,
                 "delayd: %llu packets, %llu verdicts, late by %.1f us in the mean, %.1f at most, "
                 "%.2f s of CPU\n",
                 static_cast<unsigned long long>(packets),
                 static_cast<unsigned long long>(verdicts), mean, microseconds(latest),
                 static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
  }
};

// A queue of one namespace, and the packets in it.
class DelayLine {
 public:
  // "toccata0:1:1000"
  explicit DelayLine(std::string_view text) {
    const std::size_t first = text.find(':'), second = text.find(':', first + 1);
    long delay = 0;
    if (second == std::string_view::npos ||
        !read(text.substr(first + 1, second - first - 1), number_) ||
        !read(text.substr(second + 1), delay))
      throw std::runtime_error("'" + std::string(text) +
                               "': expected NAMESPACE:QUEUE:MICROSECONDS");
    delay_ = std::chrono::microseconds(delay);
    enter(std::string(text.substr(0, first)));
    open();
  }

  int descriptor() const { return mnl_socket_get_fd(socket_.get()); }

  // Receives the waiting packets.
  void receive() {
    static constexpr int most_at_once = 16;  // because other queues are waiting, too
    for (int i = 0; i < most_at_once; ++i) {
      const ssize_t length = mnl_socket_recvfrom(socket_.get(), buffer_.data(), buffer_.size());
      if (length <= 0) return;
      arrived_ = Clock::now();
      mnl_cb_run(buffer_.data(), static_cast<std::size_t>(length), 0, 0, note_packet, this);
    }
  }

  // Releases the packets that are due.
  void release(Clock::time_point now, Statistics& statistics) {
    std::optional<std::uint32_t> last;
    while (!waiting_.empty() && waiting_.front().due <= now + early) {
      statistics.release(now - waiting_.front().due);
      last = waiting_.front().number;
      waiting_.pop_front();
    }
    if (!last) return;
    Message message(number_, NFQNL_MSG_VERDICT_BATCH);
    const nfqnl_msg_verdict_hdr verdict{htonl(NF_ACCEPT), htonl(*last)};
    mnl_attr_put(message.header, NFQA_VERDICT_HDR, sizeof verdict, &verdict);
    message.send(socket_.get());
    ++statistics.verdicts;
  }

  std::optional<Clock::time_point> next_due() const {
    return waiting_.empty() ? std::nullopt : std::optional(waiting_.front().due);
  }

 private:
  struct Packet {
    std::uint32_t number;
    Clock::time_point due;
  };
  struct Close {
    void operator()(mnl_socket* socket) const { mnl_socket_close(socket); }
  };

  // A message to the kernel about a queue.
  struct Message {
    Message(std::uint16_t queue, int type) {
      header->nlmsg_type = static_cast<std::uint16_t>(NFNL_SUBSYS_QUEUE << 8 | type);
      header->nlmsg_flags = NLM_F_REQUEST;
      auto* about = static_cast<nfgenmsg*>(mnl_nlmsg_put_extra_header(header, sizeof(nfgenmsg)));
      about->nfgen_family = AF_UNSPEC;
      about->version = NFNETLINK_V0;
      about->res_id = htons(queue);
    }
    void send(mnl_socket* socket) const {
      if (mnl_socket_sendto(socket, header, header->nlmsg_len) < 0) fail("a message to the kernel");
    }
    // Sends it, and waits for the kernel's confirmation.
    void settle(mnl_socket* socket) const {
      header->nlmsg_flags |= NLM_F_ACK;
      send(socket);
      std::array<char, 8192> answer;
      const ssize_t length = mnl_socket_recvfrom(socket, answer.data(), answer.size());
      if (length < 0 || mnl_cb_run(answer.data(), static_cast<std::size_t>(length), 0,
                                   mnl_socket_get_portid(socket), nullptr, nullptr) < 0)
        fail("a queue of packets");
    }

    std::array<char, 512> memory{};
    nlmsghdr* header = mnl_nlmsg_put_header(memory.data());
  };

  template <typename Number>
  static bool read(std::string_view text, Number& number) {
    const auto [end, error] = std::from_chars(text.begin(), text.end(), number);
    return error == std::errc() && end == text.end();
  }

  // Everything that this thread opens after this call belongs to the namespace.
  static void enter(const std::string& name) {
    const std::string path = "/run/netns/" + name;
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0 || setns(file, CLONE_NEWNET) != 0) fail(path);
    close(file);
  }

  void open() {
    socket_.reset(mnl_socket_open(NETLINK_NETFILTER));
    if (!socket_ || mnl_socket_bind(socket_.get(), 0, MNL_SOCKET_AUTOPID) < 0) fail("netlink");
    const int room = 8 << 20, yes = 1;
    setsockopt(descriptor(), SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);
    mnl_socket_setsockopt(socket_.get(), NETLINK_NO_ENOBUFS, const_cast<int*>(&yes), sizeof yes);

    Message bind(number_, NFQNL_MSG_CONFIG);
    const nfqnl_msg_config_cmd command{NFQNL_CFG_CMD_BIND, 0, htons(AF_INET)};
    mnl_attr_put(bind.header, NFQA_CFG_CMD, sizeof command, &command);
    bind.settle(socket_.get());

    // The queue contains packets without their data, as large as TCP sent them. Packets beyond the
    // limit pass without delay.
    Message configure(number_, NFQNL_MSG_CONFIG);
    const nfqnl_msg_config_params parameters{htonl(0), NFQNL_COPY_META};
    const std::uint32_t flags = htonl(NFQA_CFG_F_GSO | NFQA_CFG_F_FAIL_OPEN);
    mnl_attr_put(configure.header, NFQA_CFG_PARAMS, sizeof parameters, &parameters);
    mnl_attr_put_u32(configure.header, NFQA_CFG_QUEUE_MAXLEN, htonl(most_waiting - 1));
    mnl_attr_put_u32(configure.header, NFQA_CFG_FLAGS, flags);
    mnl_attr_put_u32(configure.header, NFQA_CFG_MASK, flags);
    configure.settle(socket_.get());
    fcntl(descriptor(), F_SETFL, fcntl(descriptor(), F_GETFL) | O_NONBLOCK);
  }

  static int note_packet(const nlmsghdr* message, void* line) {
    if ((message->nlmsg_type & 0xff) != NFQNL_MSG_PACKET) return MNL_CB_OK;
    return mnl_attr_parse(message, sizeof(nfgenmsg), note_attribute, line);
  }
  static int note_attribute(const nlattr* attribute, void* line) {
    if (mnl_attr_get_type(attribute) != NFQA_PACKET_HDR) return MNL_CB_OK;
    auto& self = *static_cast<DelayLine*>(line);
    const auto* packet = static_cast<const nfqnl_msg_packet_hdr*>(mnl_attr_get_payload(attribute));
    self.waiting_.push_back({ntohl(packet->packet_id), self.arrived_ + self.delay_});
    return MNL_CB_OK;
  }

  std::uint16_t number_ = 0;
  nanoseconds delay_{0};
  std::unique_ptr<mnl_socket, Close> socket_;
  std::deque<Packet> waiting_;  // in the order in which they are due
  Clock::time_point arrived_;
  std::array<char, 1 << 16> buffer_;
};

volatile std::sig_atomic_t ended = 0;
void end(int) { ended = 1; }

void watch(int poll, int descriptor, std::uint32_t number) {
  epoll_event event{.events = EPOLLIN, .data = {.u32 = number}};
  if (epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event) != 0) fail("epoll");
}

void set_timer(int timer, Clock::time_point due) {
  const auto since = std::chrono::duration_cast<nanoseconds>(due.time_since_epoch()).count();
  const itimerspec time{{0, 0}, {since / 1'000'000'000, since % 1'000'000'000}};
  timerfd_settime(timer, TFD_TIMER_ABSTIME, &time, nullptr);
}

// Minimizes the scheduling delay of this process, so that no packet waits longer than necessary.
void hurry(int priority) {
  prctl(PR_SET_TIMERSLACK, 1);
  mlockall(MCL_CURRENT | MCL_FUTURE);
  const sched_param wanted{priority};
  if (priority > 0 && sched_setscheduler(0, SCHED_FIFO, &wanted) != 0)
    std::perror("delayd: SCHED_FIFO (going on without)");
}

void run(std::vector<std::unique_ptr<DelayLine>>& lines) {
  const int poll = epoll_create1(EPOLL_CLOEXEC);
  const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  const auto timers_number = static_cast<std::uint32_t>(lines.size());
  for (std::uint32_t i = 0; i < timers_number; ++i) watch(poll, lines[i]->descriptor(), i);
  watch(poll, timer, timers_number);

  Statistics statistics;
  std::array<epoll_event, 64> events;
  while (ended == 0) {
    const int ready = epoll_wait(poll, events.data(), static_cast<int>(events.size()), -1);
    for (int i = 0; i < ready; ++i) {
      std::uint64_t rung = 0;
      if (events[i].data.u32 != timers_number)
        lines[events[i].data.u32]->receive();
      else if (::read(timer, &rung, sizeof rung) < 0 && errno != EAGAIN)
        fail("the timer");
    }
    const auto now = Clock::now();
    std::optional<Clock::time_point> next;
    for (const auto& line : lines) {
      line->release(now, statistics);
      if (const auto due = line->next_due(); due && (!next || *due < *next)) next = due;
    }
    if (next) set_timer(timer, *next);
  }
  statistics.say();
}

int serve(int count, char** arguments) {
  Options options;
  std::vector<std::unique_ptr<DelayLine>> lines;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "-r" && i + 1 < count)
      options.priority = std::atoi(arguments[++i]);
    else if (argument == "-f" && i + 1 < count)
      options.pid_file = arguments[++i];
    else
      lines.push_back(std::make_unique<DelayLine>(argument));
  }
  hurry(options.priority);
  for (const int signal : {SIGTERM, SIGINT}) {
    struct sigaction action {};  // without SA_RESTART: epoll_wait must return
    action.sa_handler = end;
    sigaction(signal, &action, nullptr);
  }
  if (!options.pid_file.empty()) std::ofstream(options.pid_file) << getpid() << '\n';
  run(lines);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return serve(count, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "delayd: %s\n", error.what());
    return 1;
  }
}
