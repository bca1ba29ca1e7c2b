#include "daemon/shared/wait_budget.h"

namespace hipcache::daemon {

bool WaitBudget::lasts(const Digest& step, const SingleFlight::Busy& claim, Clock::time_point now,
                       Clock::duration more) {
  const SingleFlight::Busy& before = awaited_.try_emplace(step, claim).first->second;
  const bool met_overdue = now >= claim.until || (before.run != claim.run && now >= before.until);
  if (met_overdue && !end_) end_ = now + more;
  awaited_[step] = claim;
  return now < claim.until && (!end_ || now < *end_);
}

}  // namespace hipcache::daemon
