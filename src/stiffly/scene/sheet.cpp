#include "stiffly/scene/sheet.hpp"

#include <fmt/format.h>

#include <cmath>

#include "stiffly/error.hpp"

namespace stiffly {
namespace {

void check(const SheetParameters& p) {
  if (p.rows < 2 || p.columns < 2)
    throw InputError(
        fmt::format("sheet: rows and columns must be at least 2, not {} and {}", p.rows, p.columns));
  if (static_cast<double>(p.rows) * p.columns > 5e7)
    throw InputError(fmt::format("sheet: {} × {} particles are too many", p.rows, p.columns));
  for (const double length : {p.width, p.height})
    if (!(std::isfinite(length) && length > 0))
      throw InputError(fmt::format("sheet: width and height must be positive, not {}", length));
}

}  // namespace

Sheet make_sheet(const SheetParameters& p) {
  check(p);
  Sheet sheet;
  const auto at = [&](int row, int column) { return row * p.columns + column; };
  for (int row = 0; row < p.rows; ++row)
    for (int column = 0; column < p.columns; ++column)
      sheet.points.emplace_back(p.width * column / (p.columns - 1), 0, -p.height * row / (p.rows - 1));
  for (int row = 0; row < p.rows; ++row) {
    sheet.pole.push_back(at(row, 0));
    for (int column = 0; column < p.columns; ++column) {
      const int here = at(row, column);
      const bool right = column + 1 < p.columns, below = row + 1 < p.rows;
      if (right) sheet.stretch.emplace_back(here, at(row, column + 1));
      if (below) sheet.stretch.emplace_back(here, at(row + 1, column));
      if (column + 2 < p.columns) sheet.bend.emplace_back(here, at(row, column + 2));
      if (row + 2 < p.rows) sheet.bend.emplace_back(here, at(row + 2, column));
      if (!right || !below) continue;
      const int b = at(row, column + 1), c = at(row + 1, column), d = at(row + 1, column + 1);
      sheet.shear.emplace_back(here, d);
      sheet.shear.emplace_back(b, c);
      if ((row + column) % 2 == 0) {
        sheet.triangles.push_back({here, c, d});
        sheet.triangles.push_back({here, d, b});
      } else {
        sheet.triangles.push_back({here, c, b});
        sheet.triangles.push_back({b, c, d});
      }
    }
  }
  return sheet;
}

}  // namespace stiffly
