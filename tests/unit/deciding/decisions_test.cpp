#include "deciding/decisions.h"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "choices/known_shape.h"
#include "costs/assumed_models.h"
#include "deciding/learned_results.h"
#include "support.h"
#include "topology/mesh.h"

namespace toccata {

struct Server {
  bool native;
  std::string text;  // the current choice, and its reason
  double share;      // of native's time
};

namespace {

class TestRules : public Rules {
 public:
  TestRules() {
    know_collectives();
    library_ = mpi_library_of("Open MPI v5.0.8");
    chooses_ = true;
    model_ = usual_model();
  }
  // The same rules as with TOCCATA=model.
  static TestRules trusting_the_model() {
    TestRules rules;
    rules.guarding_ = Guarding::off;
    return rules;
  }
  // The same rules as with TOCCATA=learn, if there are these results.
  static TestRules learning(Tuning learned) {
    TestRules rules;
    rules.learns_ = true;
    rules.learned_ = std::move(learned);
    return rules;
  }
  // The same rules as with a topology's file that contains these rows.
  static TestRules around_slow_links(std::string_view rows) {
    TestRules rules;
    rules.around_slow_links_ = parse_topology_choices(rows);
    return rules;
  }
  // The same rules as with TOCCATA_SUMS=learn, if the file has these results.
  static TestRules learning_sums(Tuning learned = {}) {
    TestRules rules;
    rules.learns_ = rules.learns_sums_ = true;
    rules.learned_ = std::move(learned);
    return rules;
  }
};

// A communicator, shared by all its ranks: here they agree.
class Shared {
 public:
  Shared(std::vector<int> who, const Placement& world)
      : ranks(std::move(who)), known(toccata::known(world.among(ranks))) {}

  const std::vector<int> ranks;  // of the world
  const Shape known;
  int most_waits = 2000;  // of 10 ms

  // False if some ranks do not come, because their decisions differ.
  bool agree(std::span<const double> mine, std::span<double> least) {
    std::unique_lock lock(mutex_);
    if (here_ == 0) least_.assign(mine.begin(), mine.end());
    if (least_.size() != mine.size()) broken_ = true;
    if (broken_) return false;
    for (std::size_t i = 0; i < mine.size(); ++i) least_[i] = std::min(least_[i], mine[i]);
    const int meeting = meetings_;
    if (++here_ == static_cast<int>(ranks.size())) {
      agreed_ = least_;
      here_ = 0;
      ++meetings_;
      all_here_.notify_all();
    }
    // In short waits, because some C libraries sometimes lose a wakeup.
    for (int waits = 0; meetings_ == meeting; ++waits) {
      if (broken_ || waits == most_waits) return !(broken_ = true);
      all_here_.wait_for(lock, std::chrono::milliseconds(10));
    }
    std::ranges::copy(agreed_, least.begin());
    return true;
  }
  int meetings() const { return meetings_; }

  // The same without waiting: contributes to the exchange with this number. Its result is available
  // after all ranks have contributed; never if their decisions differ.
  void contribute(int exchange, std::span<const double> mine) {
    const std::lock_guard lock(mutex_);
    Exchange& all = exchanges_[exchange];
    if (all.here++ == 0) all.least.assign(mine.begin(), mine.end());
    if (all.least.size() != mine.size()) all.here = std::numeric_limits<int>::min();
    for (std::size_t i = 0; all.here > 0 && i < mine.size(); ++i)
      all.least[i] = std::min(all.least[i], mine[i]);
  }
  std::optional<std::vector<double>> arrived(int exchange) {
    const std::lock_guard lock(mutex_);
    const Exchange& all = exchanges_[exchange];
    if (all.here < static_cast<int>(ranks.size())) return {};
    return all.least;
  }

  // After some rank waited for too long, no rank waits for another one.
  void give_up() { broken_ = true; }
  bool is_broken() const { return broken_; }

 private:
  struct Exchange {
    int here = 0;
    std::vector<double> least;
  };
  std::mutex mutex_;
  std::condition_variable all_here_;
  std::vector<double> least_, agreed_;
  int here_ = 0, meetings_ = 0;
  std::atomic<bool> broken_ = false;
  std::map<int, Exchange> exchanges_;
};

// The state of one process. Its clock runs at its own rate and may be set at any time.
struct Process {
  Results results;
  double seconds = 0;
  double rate = 1, offset = 0;
  bool reports = false;
  bool knows_places = false;
  bool diverged = false;
  LearnedResults learned;
  double memory = 0;                 // Program::memory
  bool share_inside_nodes = false;   // Program::share_inside_nodes
  bool certain_mpi = false;          // Program::certain_mpi
  bool sends_only_messages = false;  // Program::sends_only_messages
  double open_share = 0;             // Program::open_share
  Edges edges = Edges::distinct;     // Program::edges
  bool knows_edges = true;           // Program::knows_edges
  bool believes_itself = false;      // Program::Error::no_agreement
  bool sets_clocks = false;          // Program::sets_clocks
};

class SimulatedRanks final : public Ranks {
 public:
  SimulatedRanks(Shared& all, Process& process, const Rules& rules)
      : all_(all),
        process_(process),
        rules_(rules),
        facts_{.ranks = static_cast<int>(all.ranks.size()),
               .obey_rules = true,
               .on_one_node = process.memory > 0,
               .node = {.crowded = true, .rules = rules.table()}},
        knows_edges_(process.knows_edges) {}

  // The ranks share cores, so the rule for nodes leaves most sizes open.
  Facts facts() override { return facts_; }
  const Rules& rules() const override { return rules_; }
  Results& results() override { return process_.results; }
  NetworkFacts network_facts(bool) override {
    return {.own = process_.certain_mpi ? rules_.own_rules() : nullptr,
            .sends_only_messages = process_.sends_only_messages};
  }
  int nodes() override { return all_.known.placement->regions(0).number(); }
  int known_nodes() const override { return all_.known.placement->regions(0).number(); }
  bool share_memory() override { return process_.memory > 0; }
  bool may_share_memory() override { return process_.memory > 0; }
  bool share_memory_inside_nodes() override { return process_.share_inside_nodes; }
  Shape shape(const Collective& collective, int root) override {
    process_.knows_places = true;
    Shape shape = all_.known;
    shape.root = root;
    if (collective.among_neighbors) shape.neighborhood = test::everyone(shape.p);
    return shape;
  }
  Shape shape(const Algorithm& algorithm, int root, bool) override {
    return shape(algorithm.collective, root);
  }
  Edges edges() override {
    const double mine = 0;
    double least = 0;
    knows_edges_ = knows_edges_ || agree({&mine, 1}, {&least, 1});
    return process_.edges;
  }
  Edges known_edges() override { return knows_edges_ ? process_.edges : Edges::unknown; }
  std::uint64_t known_shape() override { return process_.knows_places ? digest_of(all_.known) : 0; }
  bool agree(std::span<const double> mine, std::span<double> least) override {
    const bool agreed = all_.agree(mine, least);
    ++agreements;
    if (process_.believes_itself) std::ranges::copy(mine, least.begin());
    process_.diverged = process_.diverged || !agreed;
    return agreed;
  }
  bool set_clocks() override { return process_.sets_clocks; }
  double now() const override { return process_.seconds * process_.rate + process_.offset; }
  std::optional<SizedChoice> asked_by_info(const Collective&) override { return {}; }
  ReorderWish wish_for(const Collective&) override { return {}; }
  Server& prepare(const Collective&, const Choice& choice, Source source, std::int64_t,
                  Form form) override {
    // Some algorithms are faster than native, others slower; equally on all communicators.
    const double share =
        choice.native()                                        ? 1
        : form == Form::nonblocking && process_.open_share > 0 ? process_.open_share
        : process_.memory > 0 && choice.algorithm->publishes   ? process_.memory
        : choice.travel == Travel::published                   ? 0.3
                                             : 0.4 + 0.3 * (choice.algorithm->name.front() % 7);
    return *servers_.emplace_back(std::make_unique<Server>(
        Server{choice.native(), choice.text() + " " + std::string(word_of(source)), share}));
  }
  void say_once(const std::string& line) override { ADD_FAILURE() << line; }
  void report(const Server&, const Evidence&) override {}
  void learn(const Tuning::Point& point, double saved) override {
    process_.learned.add(point, saved);
  }

  int agreements = 0;

 private:
  Shared& all_;
  Process& process_;
  const Rules& rules_;
  Facts facts_;
  bool knows_edges_;
  std::vector<std::unique_ptr<Server>> servers_;
};

// A program: its communicators, and its calls in an order that is the same on all ranks.
struct Program {
  struct Call {
    int communicator;
    const Collective* collective;
    std::int64_t bytes;  // -1: of a vector form
    int root;
    bool keeps_order;
    int times;
    Form form = Form::blocking;
    int on_device = -1;  // the rank that has buffers on a device
    int every = 1;       // ... in each second call, and so on
    bool runs_users_code = false;
    bool is_final = false;
  };
  std::vector<std::vector<int>>
      communicators;  // created before their first call, freed after the last
  std::vector<Call> calls;
  int ranks = 4;
  std::string machine = "node:2 core:2";
  double late = 0;  // the maximum lateness of a rank, in seconds
  double lie = 0;   // error of a clock's rate, as a share
  // If positive, all ranks share the memory of one node, and the algorithms that use it take this
  // share of native's time.
  double memory = 0;
  // If positive, nonblocking calls take this share of native's time with any other algorithm.
  double open_share = 0;
  // The same for the ranks of each of several nodes. Algorithms that publish are the fastest.
  bool share_inside_nodes = false;
  bool certain_mpi = false;          // whether the MPI library's own algorithms are certain
  bool sends_only_messages = false;  // if not: whether its collectives consist of messages
  // Of the topology of all communicators, in which all ranks are neighbours; known without
  // communication or not.
  Edges edges = Edges::distinct;
  bool knows_edges = true;
  bool sets_clocks = false;  // whether the ranks regard their clocks as the same
  // An error in the decisions of rank 0, which tests must detect.
  enum class Error {
    none,
    no_agreement,    // it believes its own times
    one_call_early,  // it counts one call too many
    other_lag        // of an agreement: later by a blocking call, or shorter by a start
  } error = Error::none;
};

// The result of a run.
struct Outcome {
  struct Call {
    int communicator, call, time;
    bool timed;
    std::string text;  // the serving algorithm
    int agreements;    // of this rank, before it served the call
    bool operator==(const Call&) const = default;
  };
  std::vector<std::vector<Call>> served;   // per rank
  double seconds = 0, native_seconds = 0;  // of all calls of rank 0
  bool diverged = false;
  Tuning learned;            // from rank 0
  double seconds_apart = 0;  // of rank 0, in calls only for trials
  int lent = 0;              // nonblocking calls of rank 0 that went directly to the MPI library
};

const std::string native_text = "native";

Outcome run(const Program& program, unsigned seed, const TestRules& rules = {}) {
  const auto world = known(program.ranks, program.machine).placement;
  std::vector<std::unique_ptr<Shared>> shared;
  for (const auto& each : program.communicators)
    shared.push_back(std::make_unique<Shared>(each, *world));
  if (program.error != Program::Error::none)
    for (const auto& each : shared) each->most_waits = 20;
  std::vector<int> last(program.communicators.size());
  for (std::size_t i = 0; i < program.calls.size(); ++i)
    last[program.calls[i].communicator] = static_cast<int>(i);

  Outcome result;
  result.served.resize(program.ranks);
  std::vector<Process> processes(program.ranks);
  const auto live = [&](int rank) {
    std::mt19937 random(seed * 100 + rank);
    std::uniform_real_distribution<> some(0, 1);
    Process& process = processes[rank];
    process.rate = 1 + program.lie * (some(random) - 0.5);
    process.reports = some(random) < 0.2;
    process.memory = program.memory;
    process.share_inside_nodes = program.share_inside_nodes;
    process.certain_mpi = program.certain_mpi;
    process.sends_only_messages = program.sends_only_messages;
    process.open_share = program.open_share;
    process.edges = program.edges;
    process.sets_clocks = program.sets_clocks;
    process.knows_edges = program.knows_edges;
    const auto has = [&](Program::Error error) { return rank == 0 && program.error == error; };
    process.believes_itself = has(Program::Error::no_agreement);
    struct Member {
      SimulatedRanks ranks;
      Decisions decisions{ranks};
      int exchanges = 0;
      Member(Shared& all, Process& process, const TestRules& rules) : ranks(all, process, rules) {}
    };
    std::map<int, std::unique_ptr<Member>> members;
    for (int i = 0; i < static_cast<int>(program.calls.size()); ++i) {
      const Program::Call& call = program.calls[i];
      Shared& all = *shared[call.communicator];
      if (std::ranges::find(all.ranks, rank) == all.ranks.end()) continue;
      auto& member = members[call.communicator];
      if (member == nullptr) member = std::make_unique<Member>(all, process, rules);
      const Question question{
          .collective = *call.collective,
          .bytes = call.bytes,
          .root = call.root,
          .keeps_order = call.keeps_order,
          .runs_users_code = call.runs_users_code,
          .is_final = call.is_final,
          .own_block = [mean = call.bytes < 0 ? 100 * some(random) : 0] { return mean; }};
      // The time of a call served by `server`, on this rank's clock. If candidates are measured
      // apart from calls, the time of the other server.
      const auto serve = [&](int time, const Server* server, bool timed, bool on_device = false,
                             const Server* apart = nullptr) {
        const double native =
            50e-6 + 1e-9 * static_cast<double>(std::max<std::int64_t>(call.bytes, 0));
        // In device memory, our algorithms are much slower, because data pass through host memory.
        const auto share = [&](const Server* by) {
          return by == nullptr || by->native ? 1 : on_device ? 5 * by->share : by->share;
        };
        double seconds = native * share(server);
        const bool is_native = server == nullptr || server->native;
        result.served[rank].push_back({call.communicator, i, time, timed,
                                       is_native ? native_text : server->text,
                                       member->ranks.agreements});
        if (rank == 0) {
          result.seconds += seconds;
          result.native_seconds += native;
        }
        if (apart != nullptr) {
          process.seconds += seconds;
          seconds = native * share(apart);
          if (rank == 0) result.seconds_apart += seconds;
        }
        const double began = member->ranks.now();
        process.seconds += seconds * (1 + 0.05 * some(random)) + program.late * some(random);
        return TimedCall{.arrived = began, .left = member->ranks.now()};
      };
      // MPI rejects some calls of this rank; the program corrects and repeats them.
      const auto verdict_on = [&](Form form, int time) {
        auto verdict = member->decisions.verdict(question, form, process.reports);
        const bool is_native = verdict.lent != nullptr || verdict.decision == nullptr ||
                               verdict.decision->server_of(verdict.start).native;
        // Native also serves requests for which our algorithm is unsuitable, one by one.
        const bool may_lend = form == Form::nonblocking && !verdict.start.timed;
        if ((!is_native && !may_lend) || (7 * time + 31 * rank) % 97 != 0) return verdict;
        if (may_lend && is_native && verdict.lent == nullptr && time % 2 == 0)
          verdict.lent = &member->decisions.lend(question);
        Decisions::rejected(verdict);
        return member->decisions.verdict(question, form, process.reports);
      };
      const bool miscounts = has(Program::Error::one_call_early);
      if (call.form == Form::nonblocking) {
        if (miscounts)
          static_cast<void>(member->decisions.verdict(question, Form::nonblocking, false));
        for (int time = 0; time < call.times; ++time) {
          const auto [lent, kept, decision, start] = verdict_on(Form::nonblocking, time);
          if (lent != nullptr) {
            serve(time, nullptr, false);
            if (rank == 0) ++result.lent;
            continue;
          }
          const Server* const server =
              decision == nullptr ? nullptr : &decision->server(start.candidate);
          const double seconds = serve(time, server, start.timed).seconds();
          if (start.timed) decision->open_trials()->ended(start, seconds);
          if (start.timed) decision->note_blocks(question);
          if (!start.timed && (server == nullptr || server->native))
            member->decisions.lend(question);
        }
        continue;
      }
      if (call.form == Form::persistent) {
        const auto decision = Decision::make_persistent(member->ranks, question, call.bytes, {});
        if (decision == nullptr) continue;
        if (decision->trials() == nullptr) {
          for (int time = 0; time < call.times; ++time) serve(time, &decision->current(), false);
          continue;
        }
        OpenTrials hasty(*decision->trials(), OpenTrials::starts_while_agreeing - 1);
        OpenTrials& trials = has(Program::Error::other_lag) ? hasty : *decision->open_trials();
        if (miscounts) static_cast<void>(trials.start());
        int exchange = -1;
        std::vector<double> mine;
        for (int time = 0; time < call.times && !process.diverged; ++time) {
          if (trials.is_due()) {
            exchange = member->exchanges++;
            mine = trials.ballot();
            all.contribute(exchange, mine);
          }
          std::optional<OpenTrials::Start> start;
          for (int waits = 0; !start && !process.diverged; ++waits) {
            if (waits == 100 * all.most_waits) all.give_up();
            process.diverged = all.is_broken();
            if (const auto least = exchange < 0 ? std::nullopt : all.arrived(exchange)) {
              trials.agree(process.believes_itself ? mine : *least);
              exchange = -1;
            }
            const std::int64_t before = trials.concluded();
            start = trials.start();
            member->ranks.agreements += static_cast<int>(trials.concluded() - before);
            if (!start) std::this_thread::sleep_for(std::chrono::microseconds(100));
          }
          if (!start) break;
          const TimedCall timed = serve(time, &decision->server(start->candidate), start->timed);
          trials.ended(*start, timed.seconds());
        }
        decision->conclude();
        continue;
      }
      bool waited = false;  // one blocking call longer than the other ranks
      std::function<void()> end_previous;
      for (int time = 0; time < call.times && !process.diverged; ++time) {
        if (member->decisions.are_due() && !(has(Program::Error::other_lag) && !waited)) {
          member->decisions.agree();
          waited = false;
        } else {
          waited = member->decisions.are_due();
        }
        if (some(random) < 0.001) process.offset -= 1;  // an administrator sets the clock
        if (time == 0 && miscounts)
          static_cast<void>(member->decisions.verdict(question, Form::blocking, process.reports));
        const auto verdict = verdict_on(Form::blocking, time);
        const auto& [lent, kept, decision, start] = verdict;
        const bool apart = start.apart;
        const Server* const candidate =
            decision == nullptr ? nullptr : &decision->server(start.candidate);
        const Server* const server = apart ? &decision->server_of(start) : candidate;
        const bool on_device = call.on_device >= 0 && time % call.every == 0;
        const TimedCall timed =
            serve(time, server, start.timed, on_device, apart ? candidate : nullptr);
        const auto end = [&, verdict, timed, device = on_device && rank == call.on_device] {
          member->decisions.ended(verdict, question, timed, device);
        };
        if (!has(Program::Error::other_lag)) {
          end();
        } else {
          if (end_previous) end_previous();
          end_previous = end;
        }
      }
      if (last[call.communicator] == i) {
        member->decisions.tell();
        member.reset();
      }
    }
  };
  std::vector<std::thread> threads;
  for (int rank = 0; rank < program.ranks; ++rank) threads.emplace_back(live, rank);
  for (std::thread& each : threads) each.join();
  for (const Process& each : processes) result.diverged = result.diverged || each.diverged;
  result.learned.points = processes[0].learned.points();
  return result;
}

// All ranks of a communicator served its calls with the same algorithms.
testing::AssertionResult are_alike(const Program& program, const Outcome& run) {
  if (run.diverged) return testing::AssertionFailure() << "ranks wait for each other";
  for (std::size_t comm = 0; comm < program.communicators.size(); ++comm) {
    const auto of = [&](int rank) {
      std::vector<Outcome::Call> result;
      for (const Outcome::Call& each : run.served[rank])
        if (each.communicator == static_cast<int>(comm)) result.push_back(each);
      return result;
    };
    const auto first = of(program.communicators[comm][0]);
    for (const int rank : program.communicators[comm])
      if (of(rank) != first)
        return testing::AssertionFailure() << "rank " << rank << " of communicator " << comm;
  }
  return testing::AssertionSuccess();
}
void expect_alike(const Program& program, const Outcome& run) {
  ASSERT_TRUE(are_alike(program, run));
}

// The number of calls of rank 0 with this index, or with any index, served by this algorithm.
int served_by(const Outcome& run, int call, const std::string& word) {
  return static_cast<int>(std::ranges::count_if(run.served[0], [&](const Outcome::Call& each) {
    return (call < 0 || each.call == call) && each.text.find(word) != each.text.npos;
  }));
}

std::vector<int> all_of(int ranks) {
  std::vector<int> all(ranks);
  for (int i = 0; i < ranks; ++i) all[i] = i;
  return all;
}

// What the user requests for a communicator also holds for nonblocking calls, from then on.
TEST(Decisions, OfNonblockingCallsEndWithAnExplicitRequest) {
  const auto world = known(4, "node:2 core:2").placement;
  Shared shared(all_of(4), *world);
  Process process;
  const TestRules rules;
  SimulatedRanks ranks(shared, process, rules);
  Decisions decisions(ranks);
  const Question call{.collective = allgather, .bytes = 1000};
  const auto decides = [&] {
    for (int time = 0; time < 100; ++time) {
      const auto verdict = decisions.verdict(call, Form::nonblocking, false);
      if (verdict.decision != nullptr) return true;
      if (verdict.lent == nullptr) decisions.lend(call);
    }
    return false;
  };
  EXPECT_TRUE(decides());
  decisions.ask(allgather, parse_sized_choice(allgather, "ring"));
  EXPECT_FALSE(decides());
  const Decision* const blocking = decisions.made_for(call);
  ASSERT_NE(blocking, nullptr);
  EXPECT_EQ(blocking->current_choice().text(), "ring");
}

TEST(Decisions, OfPersistentCallsEndWithAnExplicitRequest) {
  const auto world = known(4, "core:4").placement;
  Shared shared(all_of(4), *world);
  Process process;
  process.memory = 0.5;  // so the rule for nodes decides, without an agreement
  const TestRules rules;
  SimulatedRanks ranks(shared, process, rules);
  Decisions decisions(ranks);
  const Question call{.collective = allgather, .bytes = 1000};
  ASSERT_NE(decisions.persistent(call), nullptr);
  decisions.ask(allgather, parse_sized_choice(allgather, "ring"));
  EXPECT_EQ(decisions.persistent(call), nullptr);
}

// Long calls use the trees of the file from the first call on, if these connect all nodes. Trials
// compare them with native, which is faster here.
TEST(Decisions, FollowTheTopologyAroundSlowLinks) {
  const std::string file = testing::TempDir() + "toccata_slow_links.txt";
  std::ofstream(file) << "machine node:4 core:1\nlinks node3=1/4\n"
                         "tree bcast 1 -,0,0,1\ntree bcast 1 -,2,0,2\n"
                         "tree bcast 1 1,-,1,1\n";
  const TestRules rules = TestRules::around_slow_links("bcast native<1M, forestcoll:segments=2\n");
  Program program;
  program.machine = file;
  program.communicators = {all_of(4), {0, 1, 3}};
  program.calls = {{0, &bcast, 2 << 20, 0, false, 300},
                   {0, &bcast, 1000, 0, false, 300},
                   {1, &bcast, 2 << 20, 0, false, 300},
                   {0, &bcast, 64 << 20, 2, false, 300}};
  const Outcome run = toccata::run(program, 1, rules);
  std::filesystem::remove(file);
  expect_alike(program, run);
  EXPECT_EQ(run.served[0].front().text, "forestcoll:segments=2 topology");
  EXPECT_GT(served_by(run, 0, "forestcoll:segments=2 topology"), 60);
  EXPECT_GT(served_by(run, 0, "native"), 100);
  for (const int other : {1, 2, 3})  // short calls, other nodes, a root without trees
    EXPECT_EQ(served_by(run, other, "topology"), 0) << other;
}

// A program with calls of that form, and blocking calls in between, at which ranks can agree.
Program in_turns(Form form) {
  Program program;
  program.communicators = {all_of(4)};
  program.late = 200e-6;
  for (int round = 0; round < 30; ++round) {
    program.calls.push_back({0, &allgather, 1000, 0, false, 200, form});
    program.calls.push_back({0, &bcast, 8, 0, false, 1});
  }
  return program;
}

class TimesOfAgreement : public testing::TestWithParam<Form> {};
std::string name_of(const testing::TestParamInfo<Form>& form) {
  return std::array{"Blocking", "Nonblocking", "Persistent"}[static_cast<int>(form.param)];
}

// These tests see if one rank agrees with no other, or at another call.
TEST_P(TimesOfAgreement, ThatDifferOnOneRankAreSeen) {
  using enum Program::Error;
  for (const Program::Error error : {no_agreement, one_call_early, other_lag}) {
    int seen = 0;
    for (unsigned seed = 0; seed < 4; ++seed) {
      Program program = in_turns(GetParam());
      EXPECT_TRUE(are_alike(program, toccata::run(program, seed)));
      program.error = error;
      seen += are_alike(program, toccata::run(program, seed)) ? 0 : 1;
    }
    EXPECT_GT(seen, 0) << static_cast<int>(error);
  }
}

// A trial has four calls to probe, or eight to compare two candidates, or one, and three for each
// new candidate. Blocking calls agree after the last of these, nonblocking ones at the next
// blocking call, and persistent ones two starts later.
TEST_P(TimesOfAgreement, FollowTheLastCallOfATrial) {
  const Form form = GetParam();
  const Program program = in_turns(form);
  for (unsigned seed = 0; seed < 4; ++seed) {
    const Outcome run = toccata::run(program, seed);
    ASSERT_TRUE(are_alike(program, run));
    int timed = 0, later = 0, trials = 0, agreements = 0, call = 0;
    for (const Outcome::Call& each : run.served[0]) {
      const bool is_tried = program.calls[each.call].collective == &allgather;
      if (form == Form::persistent && std::exchange(call, each.call) != each.call)
        timed = later = 0;  // another request
      if (std::exchange(agreements, each.agreements) < each.agreements && timed > 0) {
        EXPECT_TRUE(timed == 8 || timed % 3 == 1) << timed << " calls";
        EXPECT_FALSE(form == Form::nonblocking && is_tried);
        const auto lag = form == Form::persistent ? OpenTrials::starts_while_agreeing : 0;
        EXPECT_TRUE(later == lag || form == Form::nonblocking) << later;
        ++trials;
        timed = later = 0;
      }
      EXPECT_TRUE(later == 0 || (is_tried && !each.timed)) << "no agreement after a trial";
      timed += each.timed ? 1 : 0;
      later += !each.timed && timed > 0 ? 1 : 0;
    }
    EXPECT_GE(trials, 3);
  }
}

INSTANTIATE_TEST_SUITE_P(Decisions, TimesOfAgreement,
                         testing::Values(Form::blocking, Form::nonblocking, Form::persistent),
                         name_of);

TEST(Decisions, AreSharedByCommunicatorsOfOneShape) {
  Program program;
  program.communicators = {all_of(4), all_of(4), {0, 2, 1, 3}, {3, 2, 1, 0}};
  for (int comm = 0; comm < 4; ++comm)
    program.calls.push_back({comm, &allgather, 1000, 0, false, comm == 0 ? 40'000 : 200});
  const Outcome run = toccata::run(program, 1);
  expect_alike(program, run);
  EXPECT_GT(served_by(run, 0, "trials"), 10'000);
  EXPECT_EQ(served_by(run, 0, "shared"), 0);
  EXPECT_GE(served_by(run, 1, "shared"), 100) << "after the probe, at the 68th call";
  EXPECT_EQ(served_by(run, 2, "shared"), 0) << "the placement 0101 has another shape than 0011";
  EXPECT_GE(served_by(run, 3, "shared"), 100)
      << "1100 has the same shape as 0011: nodes have no numbers";
}

// Where the rule for nodes was not measured, trials compare the node's memory with native.
TEST(Decisions, TryTheMemoryOfTheNode) {
  for (const double memory : {0.2, 3.0}) {
    Program program;
    program.machine = "node:1 core:4";
    program.memory = memory;
    program.communicators = {all_of(4)};
    program.calls = {{0, &alltoall, 64 << 10, 0, false, 20'000}};
    const Outcome run = toccata::run(program, 1);
    expect_alike(program, run);
    const int served = served_by(run, 0, "shared trials");
    if (memory < 1)
      EXPECT_GT(served, 15'000);
    else
      EXPECT_LT(served, 50) << "the first tries only";
  }
}

// The rule for a node also serves nonblocking and persistent calls, sums too, from a size on.
TEST(Decisions, ServeRequestsByTheRuleForNodes) {
  for (const bool sums : {true, false}) {
    Program program;
    program.machine = "node:1 core:4";
    program.memory = 1;
    program.communicators = {all_of(4)};
    for (const Form form : {Form::nonblocking, Form::persistent})
      for (const std::int64_t bytes : {8, 64 << 10})
        program.calls.push_back({0, &allreduce, bytes, 0, sums, 100, form});
    const Outcome run = toccata::run(program, 1);
    expect_alike(program, run);
    EXPECT_EQ(served_by(run, 0, "native"), 100);
    EXPECT_EQ(served_by(run, 1, "node"), 100 - first_calls);
    EXPECT_EQ(served_by(run, 2, "node"), 0);
    EXPECT_EQ(served_by(run, 3, "node"), 100);
  }
}

// MPI libraries order the blocks of repeated edges in different ways. These blocks are equal in an
// allgather.
TEST(Decisions, KeepTheOrderOfRepeatedEdges) {
  for (const Edges edges : {Edges::distinct, Edges::repeated})
    for (const bool knows_edges : {true, false}) {
      Program program;
      program.machine = "node:1 core:4";
      program.memory = 1;
      program.edges = edges;
      program.knows_edges = knows_edges;
      program.communicators = {all_of(4)};
      for (const Collective* collective : {&neighbor_allgather, &neighbor_alltoall})
        for (const Form form : {Form::blocking, Form::nonblocking, Form::persistent})
          program.calls.push_back({0, collective, -1, 0, false, 100, form});
      const Outcome run = toccata::run(program, 1);
      expect_alike(program, run);
      const int of_alltoall = edges == Edges::distinct ? 1 : 0;
      EXPECT_EQ(served_by(run, 0, "direct:travel=published node"), 100 - first_calls);
      EXPECT_EQ(served_by(run, 2, "direct:travel=published node"), 100);
      EXPECT_EQ(served_by(run, 3, "node"), of_alltoall * (100 - first_calls));
      EXPECT_EQ(served_by(run, 5, "node"), of_alltoall * 100);
      for (const int nonblocking : {1, 4}) EXPECT_EQ(served_by(run, nonblocking, "native"), 100);
    }
}

// Across nodes, the model chooses for the largest blocks so far, of 100 bytes.
TEST(Decisions, CombineShortBlocksOfNeighborsByNodes) {
  Program program;
  program.ranks = 16;
  program.machine = "node:4 core:4";
  program.communicators = {all_of(16)};
  program.calls = {{0, &neighbor_allgather, -1, 0, false, 100},
                   {0, &neighbor_alltoall, -1, 0, false, 100}};
  for (const Edges edges : {Edges::distinct, Edges::repeated}) {
    program.edges = edges;
    const Outcome run = toccata::run(program, 1);
    expect_alike(program, run);
    const int later = 100 - first_calls_of_neighbors;
    EXPECT_EQ(served_by(run, 0, "combining network"), later);
    EXPECT_EQ(served_by(run, 1, "combining network"), edges == Edges::distinct ? 100 : 0)
        << "at once, because the rule has chosen for the allgather";
  }
}

// A maximum of floating-point numbers with NaNs must not change during a run.
TEST(Decisions, AreFinalAtTheFirstCall) {
  for (const double memory : {1, 0}) {
    Program program;
    program.machine = memory > 0 ? "node:1 core:4" : "node:2 core:2";
    program.memory = memory;
    program.communicators = {all_of(4)};
    // Sums of the same size, which change at the 33rd call, and results of integers, which are
    // tried, are other classes.
    for (const Form form : {Form::blocking, Form::nonblocking})
      for (const std::int64_t bytes : {8, 64 << 10}) {
        program.calls.push_back({.communicator = 0,
                                 .collective = &allreduce,
                                 .bytes = bytes,
                                 .root = 0,
                                 .keeps_order = false,
                                 .times = 50,
                                 .form = form});
        program.calls.push_back(program.calls.back());
        program.calls.back().keeps_order = true;
        for (int again = 0; again < 2; ++again) {
          program.calls.push_back({.communicator = 0,
                                   .collective = &allreduce,
                                   .bytes = bytes,
                                   .root = 0,
                                   .keeps_order = true,
                                   .times = 50,
                                   .form = form,
                                   .is_final = true});
        }
      }
    const Outcome run = toccata::run(program, 1);
    expect_alike(program, run);
    std::map<std::pair<Form, std::int64_t>, std::string> served;
    for (const Outcome::Call& each : run.served[0]) {
      const Program::Call& call = program.calls[each.call];
      if (!call.is_final) continue;
      const std::string& first =
          served.emplace(std::pair(call.form, call.bytes), each.text).first->second;
      EXPECT_EQ(each.text, first) << call.bytes << " bytes, call " << each.time;
    }
    const std::string blocking = served[{Form::blocking, 8}];
    EXPECT_EQ(blocking == native_text, memory == 0) << blocking;
  }
}

// Blocking calls also try algorithms whose messages inside nodes are published. Requests do not.
TEST(Decisions, TryTheMemoryOfSeveralNodes) {
  for (const bool share : {true, false}) {
    Program program;
    program.ranks = 16;
    program.machine = "node:2 core:8";
    program.share_inside_nodes = share;
    program.communicators = {all_of(16)};
    program.calls = {{0, &allgather, 64, 0, false, 20'000},
                     {0, &allgather, 64, 0, false, 2000, Form::nonblocking},
                     {0, &allgather, 64, 0, false, 100},
                     {0, &allgather, 64, 0, false, 2000, Form::persistent}};
    const Outcome run = toccata::run(program, 1);
    expect_alike(program, run);
    if (share)
      EXPECT_GT(served_by(run, 0, "travel=published trials"), 9000);
    else
      EXPECT_EQ(served_by(run, 0, "travel=published"), 0);
    for (const int open : {1, 3}) EXPECT_EQ(served_by(run, open, "travel=published"), 0);
  }
}

// Ranks 2 and 3 have another history than ranks 0 and 1. If only some ranks have a winner, no rank
// uses it.
TEST(Decisions, AreSharedOnlyIfAllRanksKnow) {
  Program program;
  program.ranks = 6;
  program.machine = "node:1 core:6";
  program.communicators = {{0, 1}, {2, 3}, {0, 2}, {0, 1}};
  program.calls = {{0, &allgather, 1000, 0, false, 40'000},
                   {1, &allgather, 1000, 0, false, 10},
                   {2, &allgather, 1000, 0, false, 200},
                   {3, &allgather, 1000, 0, false, 200}};
  const Outcome run = toccata::run(program, 1);
  expect_alike(program, run);
  EXPECT_EQ(served_by(run, 2, "shared"), 0);
  EXPECT_GE(served_by(run, 3, "shared"), 100);
}

// A candidate is faster than native with buffers in host memory. If one rank has buffers on a
// device, native serves all later calls: the other ranks learn of the device when they agree.
TEST(Decisions, LeaveBuffersOnDevicesToNative) {
  Program program;
  program.communicators = {all_of(4), all_of(4), all_of(4)};
  program.calls = {{0, &allgather, 1000, 0, false, 40'000},
                   {0, &allgather, 1000, 0, false, 400'000, Form::blocking, 2},
                   {1, &allgather, 1000, 0, false, 400},
                   {2, &allgather, 1000, 0, false, 40'000, Form::blocking, 1}};
  const Outcome run = toccata::run(program, 1);
  expect_alike(program, run);
  EXPECT_GT(served_by(run, 0, "trials"), 10'000);
  const auto last = [&](int call, int time) {
    const auto found = std::ranges::find_if(run.served[0], [&](const Outcome::Call& each) {
      return each.call == call && each.time == time;
    });
    return found->text;
  };
  EXPECT_EQ(last(1, 399'000), "native");
  EXPECT_GE(served_by(run, 2, "shared"), 100) << "in host memory, the winner stays";
  EXPECT_EQ(served_by(run, 3, "native"), 40'000) << "no trial comes before the ranks agree";
}

// One call in three has buffers on a device.
TEST(Decisions, LeaveCallsWithSomeBuffersOnDevicesToNative) {
  Program program;
  program.communicators = {all_of(4)};
  program.calls = {{0, &allgather, 1000, 0, false, 40'000, Form::blocking, 3, 3}};
  const Outcome run = toccata::run(program, 1);
  expect_alike(program, run);
  EXPECT_EQ(served_by(run, 0, "native"), 40'000);
}

// A broadcast and a sum among four nodes take one round instead of two on any network. After the
// first 32 calls, the rule serves; the sum always, the broadcast until trials find something
// faster. Other sizes and collectives then follow the rule at once, where it has a choice.
TEST(Decisions, FollowTheRuleForNetworks) {
  Program program;
  program.machine = "node:4 core:1";
  program.certain_mpi = true;
  program.communicators = {all_of(4), all_of(4)};
  program.calls = {{0, &allreduce, 8, 0, true, 1000},
                   {0, &allreduce, 256, 0, true, 100},
                   {0, &allreduce, 64 << 10, 0, true, 100},
                   {0, &bcast, 64, 0, false, 90},
                   {1, &allreduce, 8, 0, true, 30, Form::blocking, -1, 1, true},
                   {1, &allreduce, 8, 0, true, 70, Form::blocking, -1, 1, true}};
  for (const bool learns : {false, true}) {
    const Outcome run = toccata::run(program, 1, learns ? TestRules::learning_sums() : TestRules());
    expect_alike(program, run);
    EXPECT_EQ(served_by(run, 0, "native"), 32);
    EXPECT_EQ(served_by(run, 0, "recursive_multiplying network"), 968);
    EXPECT_EQ(served_by(run, 1, "recursive_multiplying network"), 100);
    EXPECT_EQ(served_by(run, 2, "native"), 100) << "no gain is certain there";
    EXPECT_EQ(served_by(run, 3, "network"), 90) << "at once, after the rule has chosen for a sum";
    for (const int users : {4, 5})
      EXPECT_EQ(served_by(run, users, "network"), 0) << "operations of the user";
  }
  program.certain_mpi = false;
  EXPECT_EQ(served_by(toccata::run(program, 1), -1, "network"), 0);
  program.certain_mpi = true;
  // Ranks are so late that trials measure nothing: the next run starts with the rule's choice.
  program.late = 10e-3;
  program.calls = {{0, &bcast, 64, 0, false, 400}};
  const Outcome first = toccata::run(program, 1, TestRules::learning({}));
  EXPECT_GT(served_by(first, 0, "network"), 300);
  ASSERT_EQ(first.learned.points.size(), 1);
  EXPECT_EQ(first.learned.points[0].choice.text(), "knomial");
  const Outcome next = toccata::run(program, 2, TestRules::learning(first.learned));
  expect_alike(program, next);
  EXPECT_GT(served_by(next, 0, "learned"), 380);
  EXPECT_EQ(next.served[0][0].text, "knomial learned");
  program.calls[0].times = 120;
  EXPECT_TRUE(toccata::run(program, 1, TestRules::learning({})).learned.points.empty());
  program.late = 0;
  program.machine = "node:1 core:4";
  EXPECT_EQ(served_by(toccata::run(program, 1), -1, "network"), 0);
}

// Under an MPI library whose algorithms are unknown, the rule serves calls for which one choice is
// nearly the fastest for any library and any network.
TEST(Decisions, FollowTheRuleForNetworksWithoutKnowledgeOfTheMpi) {
  Program program;
  program.ranks = 16;
  program.machine = "node:4 core:4";
  program.sends_only_messages = true;
  program.communicators = {all_of(16)};
  program.calls = {{0, &allreduce, 8, 0, true, 100},
                   {0, &allreduce, 64 << 10, 0, true, 100},
                   {0, &reduce_scatter, 8, 0, true, 100},
                   {0, &bcast, 64, 0, false, 60},
                   {0, &allreduce, 40 << 10, 0, true, 100}};
  const Outcome run = toccata::run(program, 1);
  expect_alike(program, run);
  EXPECT_EQ(served_by(run, 0, "native"), 32);
  EXPECT_EQ(served_by(run, 0, "recursive_multiplying network"), 68);
  EXPECT_EQ(served_by(run, 1, "rabenseifner network"), 100);
  EXPECT_EQ(served_by(run, 2, "native"), 100) << "the rule excludes it";
  EXPECT_EQ(served_by(run, 3, "knomial network"), 60);
  EXPECT_EQ(served_by(run, 4, "native"), 100) << "no choice is safe there";
  program.sends_only_messages = false;
  EXPECT_EQ(served_by(toccata::run(program, 1), -1, "network"), 0);
}

// A communicator that lives for three calls gains by the rule if its messages are long.
TEST(Decisions, FollowTheRuleForNetworksFromTheFirstLongMessageOn) {
  Program program;
  program.ranks = 16;
  program.machine = "node:4 core:4";
  program.certain_mpi = true;
  program.communicators = {all_of(16), all_of(16), all_of(16)};
  program.calls = {{0, &bcast, 800'000, 0, false, 3},
                   {1, &bcast, 800, 0, false, 3},
                   {2, &allreduce, 800'000, 0, true, 3},
                   {0, &allreduce, 8, 0, true, 40}};
  const Outcome run = toccata::run(program, 1);
  expect_alike(program, run);
  EXPECT_EQ(served_by(run, 0, "network"), 3);
  EXPECT_EQ(served_by(run, 3, "native"), 32) << "no broadcast brings a sum forward";
  EXPECT_EQ(served_by(run, 1, "native"), 3);
  EXPECT_EQ(served_by(run, 2, "native"), 3) << "long sums stay native";
  program.certain_mpi = false;
  EXPECT_EQ(served_by(toccata::run(program, 1), 0, "native"), 3);
}

// Without trials, the model decides before the first call. It replaces only algorithms of the MPI
// library that it can predict.
TEST(Decisions, FollowTheModelWithoutTrials) {
  Program program;
  program.ranks = 16;
  program.machine = "node:4 core:4";
  program.communicators = {all_of(16)};
  program.calls = {{0, &allgather, 64 << 10, 0, false, 50},
                   {0, &scan, 64 << 10, 0, false, 50},
                   {0, &alltoallv, -1, 0, false, 50}};
  const Outcome run = toccata::run(program, 1, TestRules::trusting_the_model());
  expect_alike(program, run);
  EXPECT_EQ(served_by(run, 0, "modelled"), 50);
  EXPECT_EQ(served_by(run, 0, "native"), 0);
  EXPECT_EQ(served_by(run, 1, "native"), 50);
  EXPECT_EQ(served_by(run, 2, "native"), 50);
}

TEST(Decisions, ServeVectorForms) {
  Program program;
  program.communicators = {all_of(4)};
  program.calls = {{0, &alltoallv, -1, 0, false, 40'000}};
  const Outcome run = toccata::run(program, 1);
  expect_alike(program, run);
  EXPECT_GT(served_by(run, 0, "trials"), 10'000);
}

TEST(Decisions, LeaveReductionsThatRoundToNative) {
  Program program;
  program.communicators = {all_of(4), all_of(4)};
  program.calls = {{0, &allreduce, 8, 0, false, 20'000},
                   {0, &allreduce, 8, 0, true, 20'000},
                   {1, &allreduce, 8, 0, true, 20'000}};
  const Outcome run = toccata::run(program, 1);
  expect_alike(program, run);
  EXPECT_GT(served_by(run, 0, "trials"), 0);
  for (const int call : {1, 2}) EXPECT_EQ(served_by(run, call, "native"), 20'000);
}

// The first run measures candidates apart from its calls. The second run uses the fastest one from
// its first call on. Trials never run a user-defined operation.
TEST(Decisions, LearnSumsForTheNextRunIfAsked) {
  Program program;
  program.communicators = {all_of(4)};
  program.calls = {{0, &reduce, 8, 0, true, 20'000},
                   {0, &reduce, 64, 0, true, 20'000, Form::blocking, -1, 1, true}};
  const Outcome first = toccata::run(program, 1, TestRules::learning_sums());
  expect_alike(program, first);
  EXPECT_EQ(served_by(first, -1, native_text), 40'000);
  EXPECT_GT(first.seconds_apart, 0);
  EXPECT_LT(first.seconds_apart, Trials::share * first.seconds);
  ASSERT_EQ(first.learned.points.size(), 1);
  EXPECT_EQ(first.learned.points[0].bytes, 8);
  EXPECT_FALSE(first.learned.points[0].choice.native());

  const Outcome second = toccata::run(program, 2, TestRules::learning_sums(first.learned));
  expect_alike(program, second);
  EXPECT_EQ(served_by(second, 0, "learned"), 20'000);
  EXPECT_LT(second.seconds, first.seconds);
}

// Rank 1 has ranked algorithms for this shape before, rank 2 has not. Their next trial must begin
// at the same call nevertheless.
TEST(Decisions, FollowLearnedResultsAlikeWhateverRanksKnow) {
  Program program;
  program.machine = "node:4 core:1";
  program.communicators = {{0, 1}, {1, 2}};
  program.calls = {{0, &allgather, 8, 0, false, 20'000},
                   {1, &allgather, 4'000'000, 0, false, 3000}};
  Tuning learned;
  learned.points.push_back({.collective = &allgather,
                            .ranks = 2,
                            .nodes = 2,
                            .bytes = 4 << 20,
                            .choice = parse_choice(allgather, "ring")});
  const Outcome run = toccata::run(program, 1, TestRules::learning_sums(learned));
  expect_alike(program, run);
  EXPECT_TRUE(std::ranges::any_of(run.served[1], [](const Outcome::Call& each) {
    return each.text.find("learned") != each.text.npos;
  }));
}

// The nearest learned point is from 4 ranks, and its algorithm needs a power of two. The run says
// nothing, and finds an algorithm by itself.
TEST(Decisions, IgnoreLearnedAlgorithmsThatCannotRun) {
  Program program;
  program.communicators = {all_of(3)};
  program.calls = {{0, &alltoall, 1000, 0, false, 40'000}};
  Tuning learned;
  learned.points.push_back({.collective = &alltoall,
                            .ranks = 4,
                            .nodes = 1,
                            .bytes = 1024,
                            .choice = parse_choice(alltoall, "bine")});
  const Outcome run = toccata::run(program, 1, TestRules::learning_sums(learned));
  expect_alike(program, run);
  EXPECT_GT(served_by(run, 0, "trials"), 10'000);
}

// 270 calls of 4 ms are too few to measure a sum within 2% of their own time, but not within 2% of
// the time of all calls. The class that took most time comes first.
TEST(Decisions, ShareOneBudgetForAllSizes) {
  Program program;
  program.communicators = {all_of(4)};
  for (int step = 0; step < 30; ++step) {
    program.calls.push_back({0, &reduce, 4'000'000, 0, true, 9});
    for (const std::int64_t bytes : {500'000, 1'000'000, 2'000'000})
      program.calls.push_back({0, &reduce, bytes, 0, true, 9});
  }
  const Outcome run = toccata::run(program, 1, TestRules::learning_sums());
  expect_alike(program, run);
  EXPECT_EQ(served_by(run, -1, native_text), 1080);
  EXPECT_GT(run.seconds_apart, 0);
  // A class may use its own share after it lent it to another one.
  EXPECT_LT(run.seconds_apart, 1.25 * Trials::share * run.seconds);
  ASSERT_EQ(run.learned.points.size(), 1);
  EXPECT_EQ(run.learned.points[0].bytes, 4 << 20);

  std::erase_if(program.calls, [](const auto& call) { return call.bytes < 4'000'000; });
  const Outcome alone = toccata::run(program, 1, TestRules::learning_sums());
  EXPECT_EQ(alone.seconds_apart, 0);
  EXPECT_TRUE(alone.learned.points.empty());
}

// One noisy run can end with native. Later runs compare again, but late, so that a short one loses
// nothing.
TEST(Decisions, TryOthersAgainAfterALearnedNative) {
  Program program;
  program.communicators = {all_of(4)};
  program.calls = {{0, &allgather, 1000, 0, false, 40'000}};
  Tuning learned;
  const Choice native;
  learned.points.push_back(
      {.collective = &allgather, .ranks = 4, .nodes = 1, .bytes = 1024, .choice = native});
  const Outcome run = toccata::run(program, 1, TestRules::learning_sums(learned));
  expect_alike(program, run);
  const auto first = std::ranges::find_if(
      run.served[0], [](const Outcome::Call& each) { return each.text != native_text; });
  EXPECT_GE(first - run.served[0].begin(), 1000);
  EXPECT_GT(served_by(run, 0, "trials"), 10'000);
  ASSERT_EQ(run.learned.points.size(), 1);
  EXPECT_FALSE(run.learned.points[0].choice.native());
}

// Candidates serve nonblocking calls in turn; the ranks agree at the barriers between them.
TEST(Decisions, ServeNonblockingCalls) {
  for (const Collective* const collective : {&allgather, &alltoallv}) {
    Program program;
    program.communicators = {all_of(4)};
    const std::int64_t bytes = collective == &alltoallv ? -1 : 1000;
    for (int i = 0; i < 3000; ++i) {
      program.calls.push_back({0, collective, bytes, 0, false, 10, Form::nonblocking});
      program.calls.push_back({0, &barrier, 0, 0, false, 1});
    }
    const Outcome run = toccata::run(program, 1);
    expect_alike(program, run);
    EXPECT_GT(served_by(run, -1, "trials"), 10'000) << collective->name;
  }
}

// What blocking calls have found serves nonblocking calls of the same size at once, also within a
// loan, and is then compared with native among these.
TEST(Decisions, ServeNonblockingCallsByWhatBlockingOnesFound) {
  Program program;
  program.communicators = {all_of(4)};
  for (const int times : {10, 40})
    for (const Form form : {Form::nonblocking, Form::blocking})
      program.calls.push_back(
          {0, &allgather, 1000, 0, false, form == Form::blocking ? 5000 : times, form});
  program.calls.push_back({0, &allgather, 1000, 0, false, 60, Form::nonblocking});
  const Outcome run = toccata::run(program, 1);
  expect_alike(program, run);
  EXPECT_EQ(served_by(run, 0, "native"), 10);
  EXPECT_GT(served_by(run, 1, "trials"), 1000) << "blocking";
  EXPECT_EQ(served_by(run, 2, "trials"), 40) << "the loan of 32 calls ended";
  EXPECT_EQ(served_by(run, 4, "trials"), 60);
}

// The last nonblocking calls of a program whose nonblocking calls are slow with all algorithms, but
// not its blocking ones.
int native_at_the_end(double open_share, bool tries_first) {
  Program program;
  program.communicators = {all_of(4)};
  program.open_share = open_share;
  const auto mixed = [&](int times) {
    for (int i = 0; i < times; ++i) {
      program.calls.push_back({0, &allgather, 1000, 0, false, 10, Form::nonblocking});
      program.calls.push_back({0, &barrier, 0, 0, false, 1});
    }
  };
  if (tries_first) mixed(1000);
  program.calls.push_back({0, &allgather, 1000, 0, false, 5000});
  mixed(2000);
  program.calls.push_back({0, &bcast, 1000, 0, false, 5000});  // ends all loans again
  const int last = static_cast<int>(program.calls.size());
  for (int i = 0; i < 3; ++i)
    program.calls.push_back({0, &allgather, 1000, 0, false, 100, Form::nonblocking});
  const Outcome run = toccata::run(program, 1);
  expect_alike(program, run);
  return served_by(run, last, "native") + served_by(run, last + 1, "native") +
         served_by(run, last + 2, "native");
}

// Native is compared with what blocking calls have found, and wins among nonblocking ones.
TEST(Decisions, DoNotKeepForNonblockingCallsWhatSuitsBlockingOnesOnly) {
  EXPECT_GE(native_at_the_end(1.3, false), 290);
  EXPECT_GE(native_at_the_end(1.3, true), 290);
}

// All other candidates are dropped, and all further calls lent, before blocking calls find theirs.
TEST(Decisions, EndLoansThatHadNoEnd) {
  EXPECT_EQ(native_at_the_end(5, true), 300);
  EXPECT_EQ(native_at_the_end(5, false), 300);
}

// If no call may wait, the library adds no exchange.
TEST(Decisions, LeaveProgramsThatNeverWaitToNative) {
  Program program;
  program.communicators = {all_of(4)};
  program.calls = {{0, &allgather, 1000, 0, false, 40'000, Form::nonblocking}};
  const Outcome run = toccata::run(program, 1);
  expect_alike(program, run);
  EXPECT_EQ(served_by(run, 0, "native"), 40'000);
  EXPECT_GT(run.lent, 39'900) << "after a trial, calls go directly to the MPI library";
}

TEST(Decisions, ServePersistentCallsAndShareTheirWinners) {
  Program program;
  program.communicators = {all_of(4), all_of(4)};
  program.calls = {{0, &allgather, 1000, 0, false, 5000, Form::persistent},
                   {1, &allgather, 1000, 0, false, 60, Form::persistent},
                   {1, &alltoallv, -1, 0, false, 3000, Form::persistent},
                   {0, &allreduce, 8, 0, true, 100, Form::persistent}};
  const Outcome run = toccata::run(program, 1);
  expect_alike(program, run);
  EXPECT_GT(served_by(run, 0, "trials"), 3000);
  EXPECT_EQ(served_by(run, 1, "shared"), 60) << "since the first start";
  EXPECT_GT(served_by(run, 2, "trials"), 1000);
  EXPECT_EQ(served_by(run, 3, ""), 0) << "native serves floating-point sums";
}

TEST(Decisions, KeepLittle) {
  Results results;
  const Choice ring = parse_choice(allgather, "ring");
  for (std::int64_t i = 0; i < 3000; ++i) results.keep({1, &allgather, i}, ring);
  EXPECT_TRUE(results.winner({1, &allgather, 0}));
  EXPECT_FALSE(results.winner({1, &allgather, 2999}));
  results.keep({1, &allgather, 0}, {});
  EXPECT_FALSE(results.winner({1, &allgather, 0})) << "native is now the fastest";
  const Shape shape = known(4, "core:4");
  int made = 0;
  const auto make = [&] {
    ++made;
    return std::make_shared<const Ranking>(allgather, shape, usual_model());
  };
  for (int time = 0; time < 2; ++time)
    for (std::uint64_t i = 0; i < 2; ++i)
      results.ranking(i, allgather, 0, {}, Ranking::Setting::near, make);
  EXPECT_EQ(made, 2);
  for (std::uint64_t i = 0; i < 100; ++i)
    results.ranking(i, allgather, 0, {}, Ranking::Setting::near, make);
  EXPECT_FALSE(results.has_ranking(0, allgather));
  EXPECT_TRUE(results.has_ranking(99, allgather));
}

// Random communicators, calls, late ranks and wrong clocks. The ranks never differ; if no candidate
// is faster, the decisions cost almost nothing in total.
TEST(Decisions, AreTheSameOnAllRanksInAnyProgram) {
  static constexpr int programs = test::sanitized ? 60 : 300;
  std::mt19937 random(11);
  const auto some = [&](int least, int most) {
    return std::uniform_int_distribution<>(least, most)(random);
  };
  double seconds = 0, native = 0;
  int shared = 0, guarded = 0, by_rule = 0;
  for (unsigned seed = 0; seed < programs; ++seed) {
    Program program;
    program.ranks = some(2, 4);
    program.machine = std::array{"node:2 core:2", "node:1 core:4", "node:4 core:1"}[some(0, 2)];
    program.certain_mpi = some(0, 1) == 0;
    program.sends_only_messages = some(0, 1) == 0;
    program.late = some(0, 2) * 20e-6;
    program.lie = some(0, 1) * 0.02;
    program.edges = some(0, 1) == 0 ? Edges::distinct : Edges::repeated;
    program.knows_edges = some(0, 1) == 0;
    program.sets_clocks = seed % 2 == 0;  // but they are wrong
    const bool learns_sums = some(0, 1) == 0;
    const int communicators = some(1, 6);
    for (int i = 0; i < communicators; ++i) {
      std::vector<int> ranks = all_of(program.ranks);
      if (some(0, 1) == 0) std::ranges::shuffle(ranks, random);
      if (some(0, 2) == 0) ranks.resize(some(1, program.ranks));
      program.communicators.push_back(std::move(ranks));
    }
    const int calls = some(5, 20);
    for (int i = 0; i < calls; ++i) {
      const int comm = some(0, communicators - 1);
      const int p = static_cast<int>(program.communicators[comm].size());
      static constexpr const Collective* kinds[] = {
          &allgather, &allreduce, &bcast, &alltoallv, &neighbor_allgather, &neighbor_alltoall};
      const Collective& kind = *kinds[some(0, 5)];
      const bool keeps_order = kind.reduces && some(0, 1) == 0;
      program.calls.push_back(
          {.communicator = comm,
           .collective = &kind,
           .bytes = kind.vector_of != nullptr || kind.among_neighbors ? -1 : some(0, 2) * 500 + 8,
           .root = kind.rooted ? some(0, p - 1) : 0,
           .keeps_order = keeps_order,
           .times = some(0, 9) == 0 ? 20'000 : some(1, 300),
           .form = static_cast<Form>(some(0, 2)),
           .on_device = seed % 3 == 0 ? some(-1, program.ranks - 1) : -1,
           .every = seed % 3 == 0 ? some(1, 3) : 1,
           .runs_users_code = keeps_order && some(0, 4) == 0,
           .is_final = keeps_order && some(0, 3) == 0});
    }
    const Outcome run =
        toccata::run(program, seed, learns_sums ? TestRules::learning_sums() : TestRules());
    expect_alike(program, run);
    if (learns_sums && !run.learned.points.empty())
      expect_alike(program, toccata::run(program, seed + 1, TestRules::learning_sums(run.learned)));
    if (testing::Test::HasFailure()) FAIL() << "program " << seed;
    seconds += run.seconds;
    native += run.native_seconds;
    shared += served_by(run, -1, "shared");
    guarded += served_by(run, -1, "trials");
    EXPECT_LE(run.seconds_apart, learns_sums ? 0.03 * run.seconds : 0) << seed;
    // Sums are served by native or by the rule for networks. Every run gives the same bits, also
    // with results of earlier runs for the other collectives.
    Program later = program;
    later.late = 100e-6 - program.late;
    const Outcome again = toccata::run(later, seed + 1000, TestRules::learning(run.learned));
    expect_alike(later, again);
    const auto sums = [&](const Outcome& of) {
      std::vector<std::pair<int, std::string>> result;
      for (const Outcome::Call& each : of.served[0])
        if (program.calls[each.call].keeps_order) result.emplace_back(each.call, each.text);
      return result;
    };
    const auto texts = sums(run);
    EXPECT_TRUE(texts == sums(again)) << seed;
    for (const auto& [call, text] : texts)
      EXPECT_TRUE(text == native_text || text.ends_with(" network")) << text;
    by_rule += served_by(run, -1, "network");
  }
  EXPECT_GT(by_rule, 3 * programs);
  EXPECT_GT(shared, 0);
  EXPECT_GT(guarded, 0);
  EXPECT_LT(seconds, native);
}

}  // namespace
}  // namespace toccata
