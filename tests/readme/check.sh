#!/usr/bin/env bash
# The README's first steps, each command as it is written there, and what it promises.
#
#   check.sh PROGRAM README FOLDER
#
# What opens a browser is asked for its page instead, and ended as by Ctrl-C. Movies are left out where Chromium or ffmpeg
# is missing, the viewer where its page is not built.
set -euo pipefail

export program=$1
readme=$2 work=$3
rm -rf -- "$work"
mkdir -p -- "$work"
cd -- "$work"

# Blocks of the section in their order: TOML to the file it names, shell to a script.
awk '
  /^## / { inside = ($0 == "## First steps") }
  !inside { next }
  /^```$/ { kind = ""; next }
  /^```/ { kind = substr($0, 4); file = ""; next }
  kind == "toml" { if (file == "") { file = $2; printf "" >file } print >>file }
  kind == "sh" { print >>"steps.sh" }
' "$readme"
[[ -s steps.sh && -s beam.toml ]] || { echo 'the README has no first steps' && exit 1; }

cat >stiffly <<'END'
#!/usr/bin/env bash
# In place of the launcher.
set -euo pipefail
if [[ $1 != view && " $* " != *' --view'* ]]; then
  status=0
  "$program" "$@" >said 2>&1 || status=$?
  cat said
  if [[ $1 == movie && $status != 0 ]] && grep -qE "apt-get install|page is not there" said; then
    echo "movies were not tried: $(cat said)"
    exit 0
  fi
  exit "$status"
fi
env -u DISPLAY -u WAYLAND_DISPLAY "$program" "$@" >said 2>&1 &
server=$!
while ! grep -qE 'http://127[^ ]*/$' said; do
  if ! kill -0 "$server" 2>/dev/null; then
    cat said
    grep -q 'page is not there' said && exit 0
    exit 1
  fi
  sleep 0.1
done
page=$(grep -oE 'http://127[^ ]*/$' said | head -n 1)
exec 3<>"/dev/tcp/127.0.0.1/$(cut -d/ -f3 <<<"$page" | cut -d: -f2)"
printf 'GET /%s/api/runs HTTP/1.0\r\nHost: %s\r\n\r\n' "$(cut -d/ -f4 <<<"$page")" "$(cut -d/ -f3 <<<"$page")" >&3
tee shown <&3 | tail -n 1
grep -q '"frames":' shown
kill -INT "$server"
wait "$server" || [[ $? == 130 ]]
END
chmod +x stiffly

bash -euxc "$(<steps.sh)" </dev/null

for file in out/run.json out/motion.png out/balance.png out/frames.h5 softer/frames.h5 beam/frames.h5 beam/motion.png; do
  [[ -s $file ]] || { printf '%s was promised\n' "$file" && exit 1; }
done

# The beam comes back up: at the end its weight is higher than halfway between where it began and where it was lowest.
awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) if ($k == "weight") column = k }
  NR > 1 { last = $column; if (NR == 2) first = last; if (last < least) least = last }
  END { exit !(column && last > (first + least) / 2) }' beam/energy.csv ||
  { echo 'the beam does not come back up' && exit 1; }
