// φ-functions of matrices that Python has.
#include "common.hpp"
#include "stiffly/phi/registry.hpp"

namespace stiffly::python {
namespace {

/// What the package knows of a matrix beyond its products.
struct Knowledge {
  bool skew = false;
  std::optional<double> spectral_bound = {};
  py::object shifted_inverse = py::none();  ///< σ → (b → (I − σA)⁻¹b)
};

class PythonInverse final : public ShiftedInverse {
 public:
  explicit PythonInverse(py::object solve) : solve_(std::move(solve)) {}
  ~PythonInverse() override {
    const py::gil_scoped_acquire lock;
    solve_ = py::object();
  }
  void solve(ConstVectorView b, VectorView x) const override {
    const py::gil_scoped_acquire lock;
    copy(view(solve_(array_of(host(b))).cast<Array>()), x);
  }

 private:
  py::object solve_;
};

/// Its lifetime is within one call from Python, which holds the objects.
class PythonOperator : public LinearOperator {
 public:
  PythonOperator(std::size_t size, const Knowledge& known) : size_(size), known_(known) {}
  std::size_t size() const override { return size_; }
  bool skew() const override { return known_.skew; }
  std::optional<double> spectral_bound() const override { return known_.spectral_bound; }
  bool can_shift_invert() const override { return known_.shifted_inverse.ptr() != Py_None; }
  std::unique_ptr<ShiftedInverse> shifted_inverse(double sigma,
                                                  std::unique_ptr<ShiftedInverse>) const override {
    const py::gil_scoped_acquire lock;
    py::object solve = known_.shifted_inverse(sigma);
    if (solve.is_none()) throw NotPositiveDefinite("I − σA is singular to machine precision", -1);
    return std::make_unique<PythonInverse>(std::move(solve));
  }

 private:
  std::size_t size_;
  const Knowledge& known_;
};

/// A CSR matrix, multiplied without the interpreter.
class CsrOperator final : public PythonOperator {
 public:
  CsrOperator(std::span<const std::int64_t> starts, std::span<const std::int64_t> columns,
              std::span<const double> values, const Knowledge& known)
      : PythonOperator(starts.size() - 1, known), starts_(starts), columns_(columns), values_(values) {}
  void apply(ConstVectorView x, VectorView y) const override {
    if (++products_ % products_between_looks == 0) check_signals();
    const auto from = host(x);
    const auto to = host(y);
    for (std::size_t i = 0; i < size(); ++i) {
      double sum = 0;
      for (auto k = static_cast<std::size_t>(starts_[i]); k < static_cast<std::size_t>(starts_[i + 1]); ++k)
        sum += values_[k] * from[static_cast<std::size_t>(columns_[k])];
      to[i] = sum;
    }
  }

 private:
  static constexpr long products_between_looks = 64;
  std::span<const std::int64_t> starts_, columns_;
  std::span<const double> values_;
  mutable long products_ = 0;
};

/// Anything with a function that multiplies.
class CallOperator final : public PythonOperator {
 public:
  CallOperator(std::size_t size, const py::object& multiply, const Knowledge& known)
      : PythonOperator(size, known), multiply_(multiply) {}
  void apply(ConstVectorView x, VectorView y) const override {
    const py::gil_scoped_acquire lock;
    const auto product = multiply_(array_of(host(x))).cast<Array>();
    check_size(product, size(), "the product with the matrix");
    copy(view(product), y);
  }

 private:
  const py::object& multiply_;
};

using Integers = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

std::span<const std::int64_t> entries_of(const Integers& a) {
  return {a.data(), static_cast<std::size_t>(a.size())};
}

/// The matrix is a tuple (indptr, indices, data) or a function that multiplies.
py::tuple combination(const py::object& matrix, std::size_t size, const py::dict& known, double step,
                      const py::list& vectors, const std::vector<double>& nodes, double relative,
                      double absolute, const std::string& evaluator) {
  Knowledge knowledge{.skew = known["skew"].cast<bool>(), .shifted_inverse = known["shifted_inverse"]};
  if (!known["spectral_bound"].is_none()) knowledge.spectral_bound = known["spectral_bound"].cast<double>();
  Integers starts, columns;
  Array values;
  std::unique_ptr<LinearOperator> J;
  if (py::isinstance<py::tuple>(matrix)) {
    const auto parts = matrix.cast<py::tuple>();
    starts = parts[0].cast<Integers>();
    columns = parts[1].cast<Integers>();
    values = parts[2].cast<Array>();
    check_size(values, static_cast<std::size_t>(columns.size()), "data");
    J = std::make_unique<CsrOperator>(entries_of(starts), entries_of(columns), entries(values), knowledge);
  } else {
    J = std::make_unique<CallOperator>(size, matrix, knowledge);
  }
  std::vector<Array> kept;
  for (const auto& vector : vectors) kept.push_back(vector.is_none() ? Array() : vector.cast<Array>());
  std::vector<ConstVectorView> b;
  for (std::size_t j = 0; j < kept.size(); ++j) {
    const bool zero = py::object(vectors[j]).is_none();
    if (!zero) check_size(kept[j], size, "a vector");
    b.push_back(zero ? ConstVectorView{} : view(kept[j]));
  }
  const auto phi = make_evaluator(evaluator);
  PhiResult result;
  {
    const py::gil_scoped_release unlocked;
    result = phi->evaluate({*J, step, b, nodes, {.relative = relative, .absolute = absolute}});
  }
  py::array_t<double> out({static_cast<py::ssize_t>(nodes.size()), static_cast<py::ssize_t>(size)});
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto from = host(result.values[i]);
    std::copy(from.begin(), from.end(), out.mutable_data(static_cast<py::ssize_t>(i)));
  }
  return py::make_tuple(out, to_dict(result.report));
}

}  // namespace

void add_phi(py::module_& m) {
  m.def("phi_combination", combination, py::arg("matrix"), py::arg("size"), py::arg("known"), py::arg("step"),
        py::arg("vectors"), py::arg("nodes"), py::arg("relative"), py::arg("absolute"), py::arg("evaluator"),
        "See stiffly.phi_combination.");
}

}  // namespace stiffly::python
