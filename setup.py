"""Builds the package with CMake, in build/pip, which later builds go on from."""

import os
import re
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
VERSION = re.search(r'version = "(.+?)"', (ROOT / "src/stiffly/version.hpp").read_text(encoding="utf-8"))[1]


class CMakeBuild(build_ext):
    """The compiled part and everything that stands beside it, by CMake's own installation."""

    def build_extension(self, ext: Extension) -> None:
        build = ROOT / "build" / "pip"
        target = Path(self.get_ext_fullpath(ext.name)).resolve().parent.parent
        subprocess.run(
            ["cmake", "-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DSTIFFLY_PYTHON=ON", "-DSTIFFLY_APP=OFF",
             f"-DPython_EXECUTABLE={sys.executable}", f"-DCMAKE_INSTALL_PREFIX={target}"], check=True)
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or str(os.cpu_count())
        subprocess.run(["cmake", "--build", build, "--target", "stiffly_python", "--parallel", jobs], check=True)
        subprocess.run(["cmake", "--install", build, "--component", "python"], check=True)


setup(
    version=VERSION,
    packages=["stiffly"],
    package_dir={"": "python"},
    package_data={"stiffly": ["py.typed", "*.pyi"]},
    ext_modules=[Extension("stiffly._core", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
)
