#!/bin/sh
# Measures the lines of what is run as it is written, and runs shellcheck over every shell file of the repository.
set -eu

files() {
  git ls-files -z --cached --others --exclude-standard -- "$@"
}

# Prettier breaks no line of these files. A digest or the row of a table cannot be broken, so they do not count. awk
# counts bytes here; those that continue a character do not count either.
code=0
# shellcheck disable=SC2016 # fields of awk
files '*.sh' .ci/run 'lib/*.jq' 'lib/*.ps1' 'lib/*.py' 'image/*.py' 'image/Dockerfile*' |
  LC_ALL=C xargs -0 awk '
    gsub(/,/, ",") > 15 { next }
    {
      line = $0
      gsub(/@sha256:[0-9a-f]+/, "", line)
      gsub(/[\200-\277]/, "", line)
    }
    length(line) > 120 {
      print FILENAME ":" FNR ": the line has " length(line) " characters; at most 120 are allowed, so break it"
      found = 1
    }
    END { exit found }' >&2 || code=1

if ! command -v shellcheck >/dev/null 2>&1; then
  echo "SKIPPED: shellcheck is not installed; get it with: apt-get install shellcheck" >&2
  # Where CI is set, green must mean that everything ran.
  [ -z "${CI:-}" ] || exit 1
  exit "$code"
fi

files '*.sh' '.ci/run' help | xargs -0 shellcheck --external-sources --source-path=SCRIPTDIR || code=1
exit "$code"
