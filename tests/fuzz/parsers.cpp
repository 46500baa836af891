// The parsers of machines, hosts, choices, tuning files, models and configurations either accept a
// text, or reject it with one line. The first line of an input names the parser; the rest is the
// text.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

#include "choices/configuration.h"
#include "choices/sized_choice.h"
#include "choices/tuning.h"
#include "costs/model_file.h"
#include "topology/error.h"
#include "topology/hostlist.h"
#include "topology/hwloc.h"
#include "topology/readers.h"
#include "topology/synthetic.h"

namespace toccata {
namespace {

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "fuzz: %s\n", what.c_str());
  std::abort();
}

void expect_one_line(std::string_view said) {
  if (said.empty() || said.find('\n') != std::string_view::npos)
    fail("an error is not one line: " + std::string(said));
}

// A written text must be the same after it is read and written again.
void write_again(const Machine& machine) {
  if (machine.objects(machine.innermost()) > 1 << 12) return;
  const std::string once = saved(machine), twice = saved(read_saved(once, "saved"));
  if (once != twice) fail("is saved as " + once + ", but read as " + twice);
}

void read_hosts(const std::string& text) {
  const auto hosts = expand_hosts(text);
  if (hosts.size() < 1 << 12 && expand_hosts(fold_hosts(hosts)) != hosts)
    fail("hosts are not the same after folding");
}

// "allgather\nring<=4K, native"
void read_choice(const std::string& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string::npos) return;
  if (const Collective* const collective = find_collective(text.substr(0, end)))
    parse_sized_choice(*collective, text.substr(end + 1));
}

void read_tuning(const std::string& text) {
  std::string unknown;
  const Tuning tuning = parse_tuning(text, "x.json", unknown);
  if (!unknown.empty()) expect_one_line(unknown);
  std::string again;
  if (json(parse_tuning(json(tuning), "x.json", again)) != json(tuning) || !again.empty())
    fail("a tuning file is not read as it was written");
}

void read_configuration(const std::string& text) {
  const int file = memfd_create("configuration", MFD_CLOEXEC);
  if (write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    fail("the text cannot be stored");
  const Configuration configuration({"/proc/self/fd/" + std::to_string(file)});
  close(file);
  for (const std::string& each : configuration.names())
    if (!each.starts_with("TOCCATA")) fail("takes the setting " + each);
}

void read(const std::string& kind, const std::string& text) {
  if (kind == "machine")
    write_again(parse_machine(text));
  else if (kind == "saved")
    write_again(read_saved(text, "x"));
  else if (kind == "slurm")
    write_again(read_slurm(text, "x"));
  else if (kind == "ibnetdiscover")
    write_again(read_ibnetdiscover(text, "x"));
  else if (kind == "hwloc")
    write_again(read_hwloc_xml(text, "x"));
  else if (kind == "hosts")
    read_hosts(text);
  else if (kind == "choice")
    read_choice(text);
  else if (kind == "tuning")
    read_tuning(text);
  else if (kind == "model")
    json(parse_model(text, "x.json"));
  else if (kind == "configuration")
    read_configuration(text);
}

}  // namespace
}  // namespace toccata

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string input(bytes, bytes + size);
  const std::size_t end = input.find('\n');
  if (end == std::string::npos) return 0;
  const std::string kind = input.substr(0, end), text = input.substr(end + 1);
  try {
    toccata::read(kind, text);
  } catch (const toccata::TopologyError& error) {
    toccata::expect_one_line(error.what());
  } catch (const toccata::ChoiceError& error) {
    toccata::expect_one_line(error.what());
  } catch (const toccata::TuningError& error) {
    toccata::expect_one_line(error.what());
  } catch (const toccata::ModelError& error) {
    toccata::expect_one_line(error.what());
  }
  return 0;
}
