import { TerraformOutput } from "cdktf";

import { ServerlessIdentityProvider } from "../../../lib";
import { evaluated } from "../../stacks/terraform-run";
import { describeWith } from "../../support/programs";
import { bareStack, terraformOf } from "../../support/synthesis";

describeWith(["terraform"], "The records of a domain that a program gives", () => {
  it("are those of each address, and of the certificate", () => {
    const stack = bareStack({ providers: ["google", "random"] });
    const domain = "login.example.com";
    const idp = new ServerlessIdentityProvider(stack, "Idp", {
      projectId: "demo-project",
      tenantId: "acme",
      domain,
      domainOptions: { ipv6: true },
    });
    new TerraformOutput(stack, "records", { value: idp.dns.records });
    const { output = {} } = terraformOf(stack);
    const known = String(output.records?.value)
      .replaceAll(/google_compute_global_address[.]idp_ipv6\[\*\][.]address/g, '["2001:db8::1"]')
      .replaceAll(/google_compute_global_address[.]idp_address[.]address/g, '"192.0.2.1"')
      .replaceAll(
        /google_certificate_manager_dns_authorization[.]\w+\[\*\][.]dns_resource_record/g,
        '[{ name = "_acme.login.example.com.", type = "CNAME", data = "authorize." }]',
      );
    expect(evaluated({ locals: { records: known } }).records).toEqual([
      { name: domain, type: "A", value: "192.0.2.1" },
      { name: domain, type: "AAAA", value: "2001:db8::1" },
      { name: "_acme.login.example.com", type: "CNAME", value: "authorize." },
    ]);
  });
});
