#pragma once
// Ranks that are threads of the test, for what is collective over ranks but needs no program.
#include <barrier>
#include <cstring>
#include <exception>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "base/communicator.hpp"

namespace tessera::testing {

/// What the ranks share: a place for what each has to say to each.
struct ThreadRanks {
  explicit ThreadRanks(int count)
      : size(count), meet(count), said(static_cast<std::size_t>(count), std::vector<Communicator::Bytes>(count)) {}
  int size;
  std::barrier<> meet;
  std::vector<std::vector<Communicator::Bytes>> said;  ///< [from, to]
};

class ThreadRank final : public Communicator {
 public:
  ThreadRank(ThreadRanks& all, int rank) : all_(all) {
    rank_ = rank_on_machine_ = rank;
    size_ = size_of_machine_ = all.size;
  }
  void barrier() override { all_.meet.arrive_and_wait(); }
  void all_gather(const void* mine, std::size_t bytes, void* all) override {
    const char* const first = static_cast<const char*>(mine);
    const auto from = exchange(std::vector<Bytes>(static_cast<std::size_t>(size_), Bytes(first, first + bytes)));
    for (std::size_t rank = 0; rank < from.size(); ++rank)
      if (bytes > 0) std::memcpy(static_cast<char*>(all) + rank * bytes, from[rank].data(), bytes);
  }
  void broadcast(int root, void* data, std::size_t bytes) override {
    const char* const first = static_cast<const char*>(data);
    const auto from = exchange(std::vector<Bytes>(static_cast<std::size_t>(size_), Bytes(first, first + bytes)));
    if (bytes > 0) std::memcpy(data, from[static_cast<std::size_t>(root)].data(), bytes);
  }
  std::vector<Bytes> exchange(std::vector<Bytes> to) override {
    all_.said[static_cast<std::size_t>(rank_)] = std::move(to);
    barrier();
    std::vector<Bytes> result;
    for (const auto& of_rank : all_.said) result.push_back(of_rank[static_cast<std::size_t>(rank_)]);
    barrier();
    return result;
  }
  void start(std::span<const Piece> send, std::span<const Piece> receive) override {
    sent_.assign(static_cast<std::size_t>(size_), {});
    for (const Piece& piece : send) {
      const char* const first = static_cast<const char*>(piece.data);
      sent_[static_cast<std::size_t>(piece.rank)].assign(first, first + piece.bytes);
    }
    receive_.assign(receive.begin(), receive.end());
  }
  void finish() override {
    const auto from = exchange(std::move(sent_));
    for (const Piece& piece : receive_) {
      const Bytes& bytes = from[static_cast<std::size_t>(piece.rank)];
      if (bytes.size() != piece.bytes) std::terminate();
      if (!bytes.empty()) std::memcpy(piece.data, bytes.data(), bytes.size());
    }
  }

 private:
  ThreadRanks& all_;
  std::vector<Bytes> sent_;
  std::vector<Piece> receive_;
};

/// Calls f(rank) on so many ranks. What it throws ends the test program: the others would wait for ever.
inline void on_thread_ranks(int count, const std::function<void(Communicator&)>& f) {
  ThreadRanks all(count);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; ++rank)
    threads.emplace_back([&all, &f, rank]() noexcept {
      ThreadRank mine(all, rank);
      f(mine);
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace tessera::testing
