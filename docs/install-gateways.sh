#!/bin/sh
# Installs Lineside on many gateways by ssh, or brings their settings up to date. How to use it: docs/install.md.
#
#   sh install-gateways.sh EXECUTABLE FOLDER
#
# FOLDER has one file of settings for each gateway, FOLDER/<host>.env, which becomes /etc/lineside/environment. The user of ssh must be
# allowed to run sudo without a password. All gateways are tried; the end of the output names those that failed, and the exit code is 1.
set -u

if [ $# -ne 2 ] || [ ! -f "$1" ] || [ ! -d "$2" ]; then
  echo "usage: sh install-gateways.sh EXECUTABLE FOLDER" >&2
  exit 2
fi
executable=$1
folder=$2
remote="ssh -o BatchMode=yes -o ConnectTimeout=10"

install_one() {
  host=$1
  step="copy the executable"
  scp -q -o BatchMode=yes -o ConnectTimeout=10 "$executable" "$host:lineside.install" </dev/null || return 1
  step="write the settings"
  # By the standard input: a command line is visible to every user of the machine.
  $remote "$host" "sudo sh -c 'umask 077 && mkdir -p /etc/lineside && cat > /etc/lineside/environment.new && mv /etc/lineside/environment.new /etc/lineside/environment'" \
    <"$folder/$host.env" || return 1
  step="install the service"
  $remote "$host" "chmod +x lineside.install && sudo ./lineside.install service install --replace >/dev/null && rm lineside.install" </dev/null || return 1
  step="start the service"
  $remote "$host" "sudo systemctl daemon-reload && sudo systemctl enable lineside && sudo systemctl restart lineside" </dev/null || return 1
  step="be ready within 60 seconds"
  $remote "$host" "for second in \$(seq 60); do sudo lineside healthcheck --data /var/lib/lineside >/dev/null 2>&1 && exit 0; sleep 1; done; exit 1" </dev/null || return 1
}

found=0
failed=""
for file in "$folder"/*.env; do
  [ -f "$file" ] || continue
  found=$((found + 1))
  name=$(basename "$file" .env)
  if install_one "$name"; then
    echo "$name: ready"
  else
    echo "$name: FAILED to $step"
    failed="$failed $name"
  fi
done

if [ "$found" -eq 0 ]; then
  echo "There is no file *.env in $folder." >&2
  exit 2
fi
if [ -n "$failed" ]; then
  echo "Failed:$failed"
  exit 1
fi
echo "All $found gateways are ready."
