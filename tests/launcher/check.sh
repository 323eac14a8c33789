#!/usr/bin/env bash
# The launcher with a build that is only played: what a person sees on a terminal and without one, while it builds, when
# it is done and when it fails. Needs `script` for the terminal.
#
#   check.sh LAUNCHER FOLDER
set -euo pipefail

launcher=$1 work=$2
rm -rf -- "$work"
mkdir -p -- "$work"/{bin,tree/cmake,tree/src,tree/apps,tree/viewer}
cp -- "$launcher" "$work/tree/stiffly"
touch "$work/tree/CMakeLists.txt" "$work/tree/CMakePresets.json"

# All packages are there; cmake configures, then says what ninja says.
cat >"$work/bin/dpkg-query" <<'END'
#!/usr/bin/env bash
for package; do echo "installed $package"; done
END
cat >"$work/bin/cmake" <<'END'
#!/usr/bin/env bash
if [[ $1 == --preset ]]; then mkdir -p build/release && exit; fi
for i in 1 3 5 7; do echo "[$((i * 6))/42 $((11 * i)).3] Building CXX object $i.o"; done
if [[ -e broken ]]; then echo "made_up.cpp:7: error: this does not compile" && exit 1; fi
printf '#!/bin/sh\necho "ran $*"\n' >build/release/stiffly
chmod +x build/release/stiffly
cp build/release/stiffly build/release/stiffly-view
END
# The viewer's page is built where there is a network.
cat >"$work/bin/npm" <<'END'
#!/usr/bin/env bash
if [[ ! -e ../network ]]; then echo "no registry" && exit 1; fi
if [[ $1 == run ]]; then mkdir -p ../build/viewer && echo '<p>' >../build/viewer/index.html; fi
END
chmod +x "$work"/bin/*
export PATH=$work/bin:$PATH
cd -- "$work/tree"

# expect WHAT TEXT...: each in what was said
expect() {
  local what=$1 text
  shift
  for text; do
    if [[ $said != *"$text"* ]]; then
      printf '%s: "%s" was not said, but:\n%s\n' "$what" "$text" "$said" >&2
      exit 1
    fi
  done
}

said=$(./stiffly list scenes 2>&1)
expect 'without a terminal' 'stiffly: building (release): 14 %, about 66 s left' 'stiffly: built (release) in' 'ran list scenes'
said=$(./stiffly list scenes 2>&1)
[[ $said == 'ran list scenes' ]] || { printf 'built again: %s\n' "$said" >&2 && exit 1; }

said=$(./stiffly view out 2>&1)
expect 'without a page' 'no registry' 'stiffly: the page of the viewer could not be built' 'ran view out'
touch network
said=$(./stiffly view out 2>&1)
[[ $said == $'stiffly: building the page of the viewer\nran view out' ]] || { printf 'with a page: %s\n' "$said" >&2 && exit 1; }
said=$(./stiffly view out 2>&1)
[[ $said == 'ran view out' ]] || { printf 'the page was built again: %s\n' "$said" >&2 && exit 1; }

touch broken src
code=0
said=$(./stiffly list scenes 2>&1) || code=$?
expect 'a build that fails' 'error: this does not compile' 'stiffly: the build failed (whole log: '
[[ $said != *ran* && $code == 1 ]] || { printf 'ran what was not built, exit code %s\n' "$code" >&2 && exit 1; }

if ! command -v script >/dev/null; then
  echo 'no `script`: not tried on a terminal'
  exit
fi
rm broken
said=$(script -qec './stiffly list scenes' /dev/null)
expect 'on a terminal' $'\rstiffly: building (release): 14 %, about 66 s left \e[K' \
  $'\rstiffly: building (release): 71 %' $'\r\e[Kstiffly: built (release) in' 'ran list scenes'
