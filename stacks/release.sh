#!/bin/sh
# release.sh [--registry]
#
# Packs the folder of each stack in HCL into dist/release, with a bill of materials and checksums; the same bytes
# wherever it runs. With --registry, it writes the content of a repository for the registries of Terraform and OpenTofu
# instead, into dist/registry: a module for each stack, and examples. OWNER is then the owner of that repository.
set -eu

case "${1:-}" in
  "") ;;
  --registry)
    case "${OWNER:-}" in
      "" | *[!A-Za-z0-9-]*)
        echo 'release: OWNER is not the owner of the repository for the registries, letters, digits and hyphens,' >&2
        echo 'which the pages name; run OWNER=my-organization npm run release -- --registry' >&2
        exit 2
        ;;
    esac
    ;;
  *) echo "release: $1 is no option; --registry is the only one" >&2 && exit 2 ;;
esac

version=$(node -p 'require("./package.json").version')
# A fresh folder, because an applied one may hold a state.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

synthesize() {
  STATE_BACKEND=local CDKTF_OUTDIR=$work npm run --silent synth -- --hcl >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    exit 1
  }
}

# page SOURCE TARGET: copies a page with this version and owner.
page() {
  sed -e "s/\"VERSION\"/\"$version\"/" -e "s/OWNER\//$OWNER\//" "$1" >"$2"
}

# tables PAGE: its tables of inputs and outputs, as a registry shows them beside the page of a module.
tables() {
  awk '
    /^## / { title = $0 }
    /^<!-- (inputs|outputs)/ { print "\n" title; inside = 1; next }
    /^<!-- end/ { inside = 0 }
    inside
  ' "$1"
}

# A module has no state and configures no provider, so that callers can use it with count and for_each.
write_registry() {
  target=dist/registry/terraform-google-identity-provider
  rm -rf "$target"
  mkdir -p "$target/modules"
  for module in serverless:idp-serverless kubernetes:idp-kubernetes assessment-lab:assessment-lab; do
    folder=$target/modules/${module%%:*}
    mv "$work/stacks/${module#*:}" "$folder"
    rm "$folder/root.tf" "$folder/terraform.tfvars.example"
    page "stacks/registry/modules/${module%%:*}.md" "$folder/README.md"
    tables "stacks/${module#*:}.md" >>"$folder/README.md"
  done
  cp -R stacks/registry/examples "$target"
  cp stacks/registry/versions.tf LICENSE "$target"
  page stacks/registry/README.md "$target/README.md"
  echo "$target"
}

pack_folders() {
  target=dist/release
  rm -rf "$target"
  mkdir -p "$target"
  for folder in "$work"/stacks/*/; do
    name=$(basename "$folder")-$version
    mv "$folder" "$work/$name"
    cp LICENSE "$work/$name"
    tar --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime=@0 \
      -C "$work" -cf "$work/$name.tar" "$name"
    gzip -n9 <"$work/$name.tar" >"$target/$name.tar.gz"
    echo "$target/$name.tar.gz"
  done
  npx --no-install tsx stacks/write-bills.ts "$work" "$target" "$version"
  (cd "$target" && sha256sum -- * >SHA256SUMS)
}

if [ "${1:-}" = --registry ]; then
  synthesize
  write_registry
else
  [ "$(tar --version 2>/dev/null | head -n 1 | cut -c1-13)" = 'tar (GNU tar)' ] || {
    echo 'release: tar is not GNU tar, which alone packs the same bytes everywhere;' >&2
    echo 'install it and put it first in PATH' >&2
    exit 1
  }
  synthesize
  pack_folders
fi
