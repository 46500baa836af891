#include "writing/pipelined_trees.h"

#include "schedule/backwards.h"
#include "schedule/builder.h"

namespace toccata {

Schedule down(const TreePlace& place, int segments) {
  const bool is_root = place.parent < 0;
  ScheduleBuilder schedule;
  for (int empty = 0; empty < place.depth - 1; ++empty) schedule.round();
  for (int i = is_root ? 1 : 0; i <= segments; ++i) {
    schedule.round();
    if (!is_root && i < segments) schedule.recv(place.parent, recv(i));
    for (const int child : place.children)
      if (i > 0) schedule.send(child, recv(i - 1));
  }
  return std::move(schedule).build();
}

Schedule up(const TreePlace& place, int segments, int deepest) {
  return collecting(down(place, segments), deepest + segments - 1, 0,
                    place.parent < 0 ? segments : 0);
}

// The last segment arrives at the root first. This takes one round of local copies, and as many
// rounds as the tree is deep. So it goes down in the next round, and the other segments follow at
// the same pace.
Schedule up_and_down(const TreePlace& place, int segments, int deepest) {
  const BlockMap last_first = BlockMap::affine(Buffer::recv, segments - 1, -1);
  ScheduleBuilder back;
  for (int i = 0; i < 1 + deepest; ++i) back.round();
  back.then(on(down(place, segments), last_first, last_first));
  return beside(up(place, segments, deepest), std::move(back).build());
}

}  // namespace toccata
