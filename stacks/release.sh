#!/bin/sh
# Packs the folder of each stack in HCL into dist/release, with a bill of materials and checksums; the same bytes wherever
# it runs.
set -eu

[ "$(tar --version 2>/dev/null | head -n 1 | cut -c1-13)" = 'tar (GNU tar)' ] || {
  echo 'release: tar is not GNU tar, which alone packs the same bytes everywhere; install it and put it first in PATH' >&2
  exit 1
}
target=dist/release
version=$(node -p 'require("./package.json").version')
# A fresh folder, because an applied one may hold a state.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
STATE_BACKEND=local CDKTF_OUTDIR=$work npm run --silent synth -- --hcl >"$work/log" 2>&1 || {
  cat "$work/log" >&2
  exit 1
}
rm -rf "$target"
mkdir -p "$target"
for folder in "$work"/stacks/*/; do
  name=$(basename "$folder")-$version
  mv "$folder" "$work/$name"
  cp LICENSE "$work/$name"
  tar --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime=@0 -C "$work" -cf "$work/$name.tar" "$name"
  gzip -n9 <"$work/$name.tar" >"$target/$name.tar.gz"
  echo "$target/$name.tar.gz"
done
npx --no-install tsx stacks/write-bills.ts "$work" "$target" "$version"
(cd "$target" && sha256sum -- * >SHA256SUMS)
