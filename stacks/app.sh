#!/bin/sh
# Synthesizes every stack: the app command of cdktf.json and of `npm run synth`. Types are checked by `npm run check`, not
# here; bundling our own files into one takes a fraction of the time that loading them one by one does.
set -eu

root="$(dirname "$0")/.."
"$root/node_modules/.bin/esbuild" "$root/stacks/main.ts" --bundle --platform=node --target=node20 --packages=external \
  --outfile="$root/dist/stacks.cjs" --log-level=warning
exec node "$root/dist/stacks.cjs"
