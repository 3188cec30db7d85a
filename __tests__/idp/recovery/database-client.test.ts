import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { packageFile } from "../../../lib/core/package-file";
import { describeWith } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { runScript, startProxyRecorder } from "../db-init/script-run";

/** Nothing listens there. */
const NOBODY = "http://127.0.0.1:9";

describeWith(["busybox", "dash"], "database-client.sh", () => {
  const run = (script: string, environment: Readonly<Record<string, string>>) => {
    const file = join(temporaryFolder(), "job.sh");
    writeFileSync(file, `${readFileSync(packageFile("lib/idp/scripts/database-client.sh"), "utf8")}\n${script}\n`);
    return runScript({ DB_HOST: "127.0.0.1", ...environment }, { file });
  };

  it("tells the proxy beside the job to end, whatever HTTP proxy its environment names", async () => {
    const proxy = await startProxyRecorder();
    try {
      const done = await run("exit 3", { DB_PROXY_QUIT_URL: proxy.quitUrl, http_proxy: NOBODY, HTTP_PROXY: NOBODY });
      expect(done).toMatchObject({ exitCode: 3 });
      expect(proxy.requests).toEqual(["POST /quitquitquit"]);
    } finally {
      await proxy.close();
    }
  });

  it("says that the job runs on where the proxy does not hear it", async () => {
    const quit = `${NOBODY}/quitquitquit`;
    const { exitCode, output } = await run("exit 0", { DB_PROXY_QUIT_URL: quit });
    expect(exitCode).toBe(0);
    expect(output).toContain(`the proxy does not take the signal at ${quit}; unless it has ended already, this job`);
  });
});
