#include "collectives/collective.h"

namespace toccata {

// No data move. No rank may leave before all ranks have entered.
const Collective barrier{
    .name = "barrier",
    .variable = "TOCCATA_BARRIER",
    .blocks = [](const Shape&, int, Buffer) { return 0; },
    .data = [](const Shape&) -> Datum { return 0; },
    .sized = [](const Shape&, int, Buffer, int) { return nothing; },
    .before = [](const Shape&, int, Buffer, int) { return nothing; },
    .after = [](const Shape&, int, Buffer, int) { return nothing; },
    .synchronizes = true,
};

}  // namespace toccata
