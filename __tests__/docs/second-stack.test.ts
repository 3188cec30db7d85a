import { BOOTSTRAP_TOKEN } from "../../lib/idp/contract";
import { OWN_IMAGES } from "../stacks/accepted-inputs";
import { pageOf } from "../tools/pages";

it("The example of a second stack reads the secret that the first stack makes with its defaults", () => {
  const [, prefix = ""] = /\/idp-(\w+-\w+)\/$/.exec(OWN_IMAGES) ?? [];
  expect(pageOf("stacks/guides/configuration-as-files.md").text).toContain(
    `"secret-${prefix}-idp-${BOOTSTRAP_TOKEN.suffix}"`,
  );
});
