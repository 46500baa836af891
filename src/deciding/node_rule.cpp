#include "deciding/node_rule.h"

#include "choices/proved.h"
#include "choices/shipped_rules.h"
#include "deciding/size_range.h"

namespace toccata {

namespace {

using Section = RuleTable::Section;

// Above this size, the first calls of a communicator are served, too: bytes of a block. Ranks that
// share cores take longer to make a board.
constexpr std::int64_t at_once_above = 2 << 10, at_once_above_crowded = 32 << 10;

Section section_of(Form form, bool crowded) {
  if (form == Form::blocking) return crowded ? Section::node_crowded : Section::node;
  if (form == Form::persistent) return crowded ? Section::persistent_crowded : Section::persistent;
  return crowded ? Section::nonblocking_crowded : Section::nonblocking;
}

}  // namespace

std::optional<Choice> node_rule(Form form, const Collective& collective, int p,
                                const NodeKind& node, std::int64_t bytes) {
  if (bytes < 0) return {};
  bytes = size_range(bytes, false).most;  // rows were measured for whole powers of two
  std::string_view text;
  for (const RuleTable* const table : {node.rules, &rules_for_any_mpi()}) {
    if (table == nullptr || !text.empty()) continue;
    if (form == Form::blocking && node.crowded && node.reads_directly)
      text = table->find(Section::node_crowded_direct, collective, p, bytes);
    if (text.empty()) text = table->find(section_of(form, node.crowded), collective, p, bytes);
  }
  if (text.empty()) return {};
  if (text == RuleTable::as_blocking) return node_rule(Form::blocking, collective, p, node, bytes);
  const Choice choice = parse_choice(collective, text);
  if (choice.native() || !is_proved(*choice.algorithm)) return {};
  return choice;
}

bool node_rule_holds_at_once(const NodeKind& node, std::int64_t bytes) {
  return bytes > (node.crowded ? at_once_above_crowded : at_once_above);
}

}  // namespace toccata
