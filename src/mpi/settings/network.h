#pragma once

namespace toccata {

// Whether this node has no network but Ethernet, as far as Linux's list of devices shows: a message
// between nodes then takes 10 us and more. False if that is unknown. RDMA over Ethernet is another
// network.
bool has_only_ethernet();

}  // namespace toccata
