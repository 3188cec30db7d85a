#!/bin/sh
# Writes a unit for each tenant of fleet.json, by ring.
set -eu
rm -rf units
for unit in $(jq -r '.tenants | to_entries[] | "\(.value.ring)/\(.key)"' fleet.json); do
  mkdir -p "units/$unit"
  printf 'include "root" {\n  path = find_in_parent_folders("root.hcl")\n}\n' > "units/$unit/terragrunt.hcl"
done
