#pragma once

namespace toccata {

// Whether the decision functions that choices/native_algorithm contains certainly choose the
// algorithms of blocking collectives here: Open MPI's component `tuned`, with its fixed rules.
// Other components (han, hcoll, ucc, ...), a selection of components, and rules of the user or the
// site replace them; Open MPI's own variables show that. `one_per_node`: whether each rank of the
// communicator has a node of its own; han then leaves them to tuned. False under other MPIs and
// other versions than 4.1 and 5.0.
bool follows_known_rules(bool one_per_node);

// Whether this MPI library's collectives consist of messages: no component or setting known here
// lets a network sum or copy. False under libraries for which this is not known
// (MpiLibrary::sends_only_messages).
bool sends_only_messages();

}  // namespace toccata
