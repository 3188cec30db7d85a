import { parseStateBackend } from "../../lib/core/state-backend";
import { summary } from "../../stacks/summary";
import { bareStack } from "../support/synthesis";

const line = (init: string) =>
  `out/stacks/test: terraform -chdir=out/stacks/test ${init} && terraform -chdir=out/stacks/test apply -var project_id=<your project>\n`;

const LOCAL = `warning: each state will be a file in its folder, and is lost with it; for anything but a trial, keep it in a bucket: STATE_BACKEND='{"gcs": {"bucket": "<your bucket>"}}' npm run synth\n`;

it.each([
  ["local", line("init") + LOCAL],
  ['{"gcs": {"bucket": "states"}}', line("init")],
  ["gcs", line('init -backend-config="bucket=<your bucket>"')],
])(
  "The summary of a synthesis prints the next command, and warns of a state that is easily lost, with the backend %s",
  (setting, text) => {
    expect(summary("out", [bareStack()], parseStateBackend("STATE_BACKEND", setting))).toBe(text);
  },
);
