#!/bin/sh
# Writes a unit for each tenant of fleet.json, by ring. The former units stay until all new ones are there.
set -eu
list='if .tenants | type == "object" and length > 0 then .tenants | to_entries[] else error("it has no tenants") end
  | [(.value | objects | .ring) // null, .key]
  | if all(.[]; type == "string" and test("\\A[a-z0-9][a-z0-9-]*\\z")) then join("/")
    else error("the tenant \(.[1]) or its ring is no name of lower-case letters, digits and hyphens") end'
units=$(jq -r "$list" fleet.json) || units=
[ -n "$units" ] || {
  echo "units.sh: fleet.json cannot be used, see above; units/ is as it was. Correct the file and run this again." >&2
  exit 1
}
rm -rf units.new
for unit in $units; do
  mkdir -p "units.new/$unit"
  printf 'include "root" {\n  path = find_in_parent_folders("root.hcl")\n}\n' > "units.new/$unit/terragrunt.hcl"
done
rm -rf units
mv units.new units
