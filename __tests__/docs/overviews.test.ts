import { plannedInstances } from "../../stacks/planned-resources";
import { blocksIn, pageOf } from "../tools/pages";
import { shippedStacks } from "../stacks/shipped-stacks";

/** Types of resources that open a port, hold data or hold a secret. */
const MUST_BE_SHOWN =
  /^(google_(artifact_registry_repository|cloud_run_v2_service|compute_(firewall|instance|\w*forwarding_rule|router_nat)|container_cluster|secret_manager_secret|sql_database_instance|storage_bucket|storage_bucket_object)|kubernetes_(ingress_v1|network_policy_v1|secret_v1|service_v1)|tls_private_key|aws_iam_access_key)\./;

/** Nodes have the address of a resource as their id; those outside of the deployment are circles. */
const NODE = /^ *([\w.]+)(?:\[|\(\[)/gm;

describe.each(Object.entries(shippedStacks()))("The overview of %s", (stack, { resource = {}, variable = {} }) => {
  const [overview = ""] = blocksIn(pageOf(`stacks/${stack}.md`).text, "mermaid");
  const shown = [...overview.matchAll(NODE)].map(([, id = ""]) => id);
  const existing = Object.entries(resource).flatMap(([type, named]) =>
    Object.entries(named)
      .filter(([, block]) => plannedInstances(block, variable) > 0)
      .map(([name]) => `${type}.${name}`),
  );

  it("names resources of the defaults only, and at most 25", () => {
    expect(shown.filter((address) => !existing.includes(address))).toEqual([]);
    expect(shown.length).toBeLessThanOrEqual(25);
  });

  it("omits nothing that opens a port, holds data or holds a secret", () => {
    const needed = existing.filter((address) => MUST_BE_SHOWN.test(address));
    expect(needed.filter((address) => !shown.includes(address))).toEqual([]);
    expect(needed.length).toBeGreaterThan(5);
  });

  it("says what each arrow is, and draws none to a node that is not there", () => {
    const arrows = [...overview.matchAll(/^ *([\w.]+) -->(\|"[^"]+"\|)? ?([\w.]+)$/gm)];
    const nodes = [...overview.matchAll(/^ *([\w.]+)[[(]/gm)].map(([, id = ""]) => id);
    expect(
      arrows.filter(([, from = "", words, to = ""]) => !words || ![from, to].every((id) => nodes.includes(id))),
    ).toEqual([]);
    expect(arrows.length).toBeGreaterThan(10);
  });
});
