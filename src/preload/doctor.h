#pragma once

namespace toccata {

// TOCCATA_DOCTOR: `toccata doctor` started the program only to see whether it gets here. Every rank
// says so on standard error, and the process ends: nothing of the program itself runs. Returns
// where that variable is not set.
void tell_the_doctor();

}  // namespace toccata
