// Finding pairs of segments that are near each other: over their number, and against Embree.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <random>
#include <vector>

#include "bench.hpp"
#include "stiffly/contact/near_pairs.hpp"
#include "stiffly/threads.hpp"

#ifdef STIFFLY_WITH_EMBREE
#include <embree3/rtcore.h>

#include <atomic>
#endif

namespace stiffly::bench {
namespace {

constexpr double strand_segment = 0.0187, strand_radius = 5e-5, strand_reach = 3.4e-3;  // m

/// Of this process and all its threads, s: what the machine does besides does not count.
double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}
template <class Work>
double least_processor_seconds(int repeats, const Work& work) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repeats; ++i) {
    const double before = processor_seconds();
    work();
    least = std::min(least, processor_seconds() - before);
  }
  return least;
}

struct Strands {
  std::vector<double> x;
  std::vector<ThickElement> segments;
};

/// Strands of eight segments that wander through a cube, turned back at its sides; as dense whatever their
/// number.
Strands wandering_strands(int count) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> anywhere(0, 1);
  std::normal_distribution<double> normal;
  const auto direction = [&] { return Eigen::Vector3d(normal(random), normal(random), normal(random)); };
  const double side = 0.6 * std::cbrt(count / 480000.0);
  Strands out;
  for (int strand = 0; strand < count / 8; ++strand) {
    Eigen::Vector3d at = side * Eigen::Vector3d(anywhere(random), anywhere(random), anywhere(random));
    Eigen::Vector3d along = direction().normalized();
    for (int k = 0; k <= 8; ++k) {
      out.x.insert(out.x.end(), at.begin(), at.end());
      const int last = static_cast<int>(out.x.size() / 3) - 1;
      if (k > 0) out.segments.push_back({{last - 1, last, -1}, strand_radius});
      along = (along + 0.3 * direction()).normalized();
      at += strand_segment * along;
      for (int axis = 0; axis < 3; ++axis)
        if (at[axis] < 0 || at[axis] > side) {
          along[axis] = -along[axis];
          at[axis] = std::clamp(at[axis], 0.0, side);
        }
    }
  }
  return out;
}

#ifdef STIFFLY_WITH_EMBREE
/// The same pairs by Embree: its tree over the segments' boxes, its collisions, our distances.
class EmbreePairs {
 public:
  EmbreePairs(const Strands& strands, const NearPairs& pairs) : strands_(strands), pairs_(pairs) {
    const std::string settings = fmt::format("threads={}", thread_count());
    device_ = rtcNewDevice(settings.c_str());
    scene_ = rtcNewScene(device_);
    rtcSetSceneBuildQuality(scene_, RTC_BUILD_QUALITY_LOW);
    rtcSetSceneFlags(scene_, RTC_SCENE_FLAG_DYNAMIC);
    geometry_ = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(geometry_, static_cast<unsigned>(strands.segments.size()));
    rtcSetGeometryUserData(geometry_, this);
    rtcSetGeometryBoundsFunction(
        geometry_,
        [](const RTCBoundsFunctionArguments* a) {
          static_cast<const EmbreePairs*>(a->geometryUserPtr)->bound(a->primID, *a->bounds_o);
        },
        nullptr);
    rtcAttachGeometry(scene_, geometry_);
  }
  EmbreePairs(const EmbreePairs&) = delete;
  EmbreePairs& operator=(const EmbreePairs&) = delete;
  ~EmbreePairs() {
    rtcReleaseGeometry(geometry_);
    rtcReleaseScene(scene_);
    rtcReleaseDevice(device_);
  }

  /// How many pairs there are.
  long find() {
    rtcCommitGeometry(geometry_);
    rtcCommitScene(scene_);
    found_ = 0;
    rtcCollide(
        scene_, scene_,
        [](void* self, RTCCollision* collisions, unsigned count) {
          static_cast<EmbreePairs*>(self)->see({collisions, count});
        },
        this);
    return found_;
  }

 private:
  void bound(unsigned segment, RTCBounds& out) const {
    const ThickElement& s = strands_.segments[segment];
    Eigen::Vector3d low = Eigen::Vector3d::Map(strands_.x.data() + 3 * s.corners[0]), high = low;
    const Eigen::Vector3d end = Eigen::Vector3d::Map(strands_.x.data() + 3 * s.corners[1]);
    low = low.cwiseMin(end).array() - (s.radius + strand_reach / 2);
    high = high.cwiseMax(end).array() + (s.radius + strand_reach / 2);
    out.lower_x = static_cast<float>(low[0]);
    out.lower_y = static_cast<float>(low[1]);
    out.lower_z = static_cast<float>(low[2]);
    out.upper_x = static_cast<float>(high[0]);
    out.upper_y = static_cast<float>(high[1]);
    out.upper_z = static_cast<float>(high[2]);
  }
  void see(std::span<const RTCCollision> collisions) {
    long near = 0;
    for (const RTCCollision& c : collisions) {
      const auto i = static_cast<int>(c.primID0), j = static_cast<int>(c.primID1);
      if (i < j && pairs_.pair(i, j).kind != Meeting::none && pairs_.gap(i, j, strands_.x) < strand_reach)
        ++near;
    }
    found_ += near;
  }

  const Strands& strands_;
  const NearPairs& pairs_;
  RTCDevice device_;
  RTCScene scene_;
  RTCGeometry geometry_;
  std::atomic<long> found_ = 0;
};
#endif

bool run_contact() {
  bool met = true;
  fmt::print("{:>9} {:>10} {:>11} {:>13} {:>13} {:>14}\n", "segments", "pairs", "neighbours", "built, s",
             "fitted, s", "on two threads");
  std::vector<double> size, time;
  for (const int count : {30000, 120000, 480000}) {
    const Strands strands = wandering_strands(count);
    std::size_t found = 0;
    const double built = least_processor_seconds(
        3, [&] { found = NearPairs(strands.segments).find(strands.x, strand_reach).size(); });
    NearPairs pairs(strands.segments);
    pairs.find(strands.x, strand_reach);
    const double fitted = least_processor_seconds(3, [&] { pairs.find(strands.x, strand_reach); });
    fmt::print("{:9} {:10} {:11.2f} {:13.3f} {:13.3f} {:14.3f}\n", count, found,
               2 * static_cast<double>(found) / count, built, fitted, fitted / 2);
    size.push_back(std::log(count));
    time.push_back(std::log(fitted));
#ifdef STIFFLY_WITH_EMBREE
    EmbreePairs embree(strands, pairs);
    long by_embree = 0;
    const double peer = least_processor_seconds(3, [&] { by_embree = embree.find(); });
    fmt::print("          by Embree's rtcCollide: {} pairs in {:.3f} s, {:.2f} times as long  {}\n",
               by_embree, peer, peer / built,
               verdict(static_cast<std::size_t>(by_embree) == found && peer > built));
    met = met && static_cast<std::size_t>(by_embree) == found && peer > built;
#endif
  }
  const double slope = (time.back() - time.front()) / (size.back() - size.front());
  const double pass = std::exp(time.back()) / 2;
  fmt::print("slope over the number: {:.2f}, at most 1.1: {}\n", slope, verdict(slope <= 1.1));
  fmt::print("a pass of 480 000 on two threads, half the processor time: {:.2f} s, at most 2: {}\n", pass,
             verdict(pass <= 2));
  return met && slope <= 1.1 && pass <= 2;
}

}  // namespace

Section contact() { return {"contact", "pairs of 480 000 segments that are near each other", run_contact}; }

}  // namespace stiffly::bench
