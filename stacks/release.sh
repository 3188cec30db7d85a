#!/bin/sh
# release.sh [--registry]
#
# Packs the folder of each stack in HCL into dist/release, with a bill of materials and checksums; the same bytes wherever
# it runs. With --registry, it writes the content of a repository for the registries of Terraform and OpenTofu instead, into
# dist/registry: a module for each stack, and examples.
set -eu

case "${1:-}" in
  "" | --registry) ;;
  *) echo "release: $1 is no option; --registry is the only one" >&2 && exit 2 ;;
esac

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

# registry: a module has no state and configures no provider, so that callers can use it with count and for_each.
if [ "${1:-}" = --registry ]; then
  target=dist/registry/terraform-google-identity-provider
  rm -rf "$target"
  mkdir -p "$target/modules"
  for module in serverless:idp-serverless kubernetes:idp-kubernetes assessment-lab:assessment-lab; do
    folder=$target/modules/${module%%:*}
    mv "$work/stacks/${module#*:}" "$folder"
    rm "$folder/root.tf" "$folder/terraform.tfvars.example"
    # With the tables of inputs and outputs, as a registry shows them beside it.
    {
      cat "stacks/registry/modules/${module%%:*}.md"
      awk '/^## / { title = $0 } /^<!-- (inputs|outputs)/ { print "\n" title; inside = 1; next } /^<!-- end/ { inside = 0 } inside' \
        "stacks/${module#*:}.md"
    } >"$folder/README.md"
  done
  cp -R stacks/registry/examples "$target"
  cp stacks/registry/README.md stacks/registry/versions.tf LICENSE CHANGELOG.md "$target"
  find "$target" -name README.md -exec sed -i "s/\"VERSION\"/\"$version\"/" {} +
  echo "$target"
  exit
fi

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
