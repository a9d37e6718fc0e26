#include "base/link.hpp"

#include <cstring>

namespace tessera {

void Link::sum(std::initializer_list<SumRange> values) {
  for (const SumRange& range : values)
    if (!waiting_.empty() && waiting_.back().first + waiting_.back().count == range.first)
      waiting_.back().count += range.count;  // they stand together
    else
      waiting_.push_back(range);
  if (!deferred_) flush();
}

void Link::flush() {
  if (!waiting_.empty()) sum_now(waiting_);
  waiting_.clear();
}

int Link::count(const std::vector<SumRange>& values) {
  int count = 0;
  for (const SumRange& range : values) count += range.count;
  return count;
}

namespace {

/// Host memory over MPI.
class HostLink final : public Link {
 public:
  explicit HostLink(Communicator& ranks) : Link(ranks) {}
  const char* name() const override { return "mpi"; }

  void start(const ExchangePlan& plan, const void* send, void* receive, std::size_t entry) override {
    const auto pieces = [&](const std::vector<ExchangePlan::Range>& ranges, void* buffer) {
      std::vector<Communicator::Piece> result;
      for (const ExchangePlan::Range& range : ranges)
        result.push_back({range.rank, static_cast<char*>(buffer) + static_cast<std::size_t>(range.first) * entry,
                          static_cast<std::size_t>(range.last - range.first) * entry});
      return result;
    };
    ranks().start(pieces(plan.send, const_cast<void*>(send)), pieces(plan.receive, receive));
  }
  void finish() override { ranks().finish(); }

 protected:
  void sum_now(const std::vector<SumRange>& values) override {
    const auto size = static_cast<std::size_t>(count(values));
    mine_.clear();
    for (const SumRange& range : values) mine_.insert(mine_.end(), range.first, range.first + range.count);
    all_.resize(size * static_cast<std::size_t>(ranks().size()));
    ranks().all_gather(mine_.data(), size * sizeof(double), all_.data());
    std::size_t i = 0;
    for (const SumRange& range : values)
      for (int k = 0; k < range.count; ++k, ++i) {
        double sum = 0;
        for (std::size_t r = i; r < all_.size(); r += size) sum += all_[r];
        range.first[k] = sum;
      }
  }

 private:
  std::vector<double> mine_, all_;
};

}  // namespace

std::unique_ptr<Link> make_link(Threads&, Communicator& ranks, std::string*) {
  return std::make_unique<HostLink>(ranks);
}

}  // namespace tessera
