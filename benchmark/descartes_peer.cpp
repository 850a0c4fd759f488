// Descartes of ROS-Industrial (descartes_light): the ladder graph through given candidates, as a
// C function for `descartes_peer.py`. It needs descartes_light's headers, Eigen and console_bridge.

#include <chrono>

#include <descartes_light/solvers/ladder_graph/impl/ladder_graph_solver.hpp>
#include <descartes_light/solvers/ladder_graph/ladder_graph_solver.h>

using namespace descartes_light;

struct Candidates : WaypointSamplerD {
  std::vector<StateSample<double>> samples;
  std::vector<StateSample<double>> sample() const override { return samples; }
};

struct LimitedStep : EdgeEvaluatorD {
  double most;
  explicit LimitedStep(double most) : most(most) {}
  std::pair<bool, double> evaluate(const State<double>& start,
                                   const State<double>& end) const override {
    const Eigen::VectorXd step = end.values - start.values;
    if (step.cwiseAbs().maxCoeff() > most) return {false, 0.0};
    return {true, step.norm()};
  }
};

// counts (m): of the candidates of each pose; candidates: all of them, (sum of counts, n), rad or m.
// Writes path (m, n). Returns the time, s, negative where there is no path.
extern "C" double descartes_path(const long* counts, long m, long n, const double* candidates,
                                 double most, double* path) {
  const auto started = std::chrono::steady_clock::now();
  std::vector<WaypointSamplerD::ConstPtr> poses;
  for (long i = 0; i < m; ++i) {
    auto pose = std::make_shared<Candidates>();
    for (long k = 0; k < counts[i]; ++k, candidates += n)
      pose->samples.emplace_back(
          std::make_shared<State<double>>(Eigen::Map<const Eigen::VectorXd>(candidates, n)), 0.0);
    poses.push_back(pose);
  }
  const EdgeEvaluatorD::ConstPtr edge = std::make_shared<LimitedStep>(most);
  LadderGraphSolver<double> solver(1);
  double sign = 1.0;
  try {
    if (!solver.build(poses, std::vector<EdgeEvaluatorD::ConstPtr>{edge}, {})) {
      sign = -1.0;
    } else {
      const auto found = solver.search();
      for (long i = 0; i < m; ++i)
        for (long k = 0; k < n; ++k) path[i * n + k] = (*found.trajectory.at(i))[k];
    }
  } catch (const std::exception&) {
    sign = -1.0;
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - started;
  return sign * taken.count();
}
