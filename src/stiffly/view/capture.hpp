// Pictures of runs, drawn by the viewer's page in a browser that nobody sees.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "stiffly/view/run_source.hpp"

namespace stiffly::view {

struct PictureOrder {
  std::vector<double> times;  ///< s; of each the last frame up to it
  int width = 1280, height = 720;
  std::string quantity = {};  ///< as colour; empty: that of the viewer
  double magnification = 1;   ///< of the motion
  bool dark = false;
};

/// Gets the pictures as PNG files, in their order.
using TakePicture = std::function<void(std::size_t number, const std::string& png)>;

/// The page in `page` draws, in Chromium. Throws FileError where there is no Chromium or it does not work,
/// and InputError where the page refuses: no frames, no such quantity.
void draw_pictures(const std::filesystem::path& page, std::vector<std::shared_ptr<RunSource>> runs,
                   const PictureOrder& order, const TakePicture& take);

/// Where Chromium or Chrome is. Throws FileError that says what to install.
std::filesystem::path find_browser();

}  // namespace stiffly::view
