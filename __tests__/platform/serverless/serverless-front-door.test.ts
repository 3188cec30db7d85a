import { ServerlessIdentityProvider } from "../../../lib/serverless-identity-provider";
import { type ServerlessIdentityProviderProps } from "../../../lib/serverless-identity-provider";
import { bareStack, resourceOf, terraformOf } from "../../support/synthesis";

type Props = Partial<ServerlessIdentityProviderProps>;

const DOMAIN = { domain: "login.example.com" };

const deployed = (props: Props) => {
  const stack = bareStack();
  const construct = new ServerlessIdentityProvider(stack, "Idp", {
    projectId: "demo-project",
    tenantId: "demo",
    ...props,
  });
  const terraform = terraformOf(stack);
  const of = (type: string, name: string) => resourceOf(terraform, `google_${type}`, `idp_${name}`);
  return { construct, of, stack, terraform };
};

describe("The front door of a service", () => {
  it("does not exist without a domain, and neither does anything that it needs", () => {
    const { construct, terraform } = deployed({});
    expect([construct.frontDoor, construct.edge, construct.address]).toEqual([undefined, undefined, undefined]);
    const types = Object.keys(terraform.resource ?? {});
    expect(types.filter((type) => /certificate|compute|dns/.test(type))).toEqual([]);
  });

  it("closes the default address on request", () => {
    const closed = deployed({ ...DOMAIN, closeDefaultAddress: true }).of("cloud_run_v2_service", "service");
    expect(closed).toMatchObject({ ingress: "INGRESS_TRAFFIC_INTERNAL_LOAD_BALANCER", default_uri_disabled: true });
    const open = deployed(DOMAIN).of("cloud_run_v2_service", "service");
    expect([open.ingress, open.default_uri_disabled]).toEqual(["INGRESS_TRAFFIC_ALL", undefined]);
  });
});
