import { valueAt } from "../terraform-value";
import { quantity } from "../quantity";
import { admittedTemplate } from "./autopilot-admission";
import { hardened, having, size, template } from "./pod-fixture";

const CONTAINER = "spec.0.container.0";

describe("The admission of Autopilot", () => {
  it("leaves a template alone in which everything is written", () => {
    expect(admittedTemplate(template)).toEqual(template);
  });

  it("changes nothing that it has written itself", () => {
    const bare = having(CONTAINER, { name: "server", resources: [], security_context: [] });
    const admitted = admittedTemplate(bare);
    expect(admittedTemplate(admitted)).toEqual(admitted);
  });

  it.each([
    ["the toleration of its architecture", "spec.0.toleration", []],
    ["the profile of system calls", "spec.0.security_context.0.seccomp_profile", []],
    ["the escalation of privileges", `${CONTAINER}.security_context.0.allow_privilege_escalation`, null],
    ["a capability", `${CONTAINER}.security_context.0.capabilities.0.drop`, ["ALL"]],
    ["all of the container's rights", `${CONTAINER}.security_context`, []],
  ] as const)("writes %s where it is left out", (_what, path, value) => {
    const admitted = admittedTemplate(having(path, value));
    expect(valueAt(admitted, path)).not.toEqual(value);
    expect(valueAt(admitted, "spec.0.toleration")).toEqual(valueAt(template, "spec.0.toleration"));
  });

  it.each([
    ["nothing", [], { cpu: "500m", memory: "2Gi", "ephemeral-storage": "1Gi" }],
    ["no disk", [{ requests: { cpu: "500m", memory: "1Gi" }, limits: null }], size],
    ["more disk as limit than as request", [{ requests: size, limits: { ...size, "ephemeral-storage": "5Gi" } }], size],
    ["no limits", [{ requests: size, limits: null }], size],
  ] as const)("sets the size of a container that asks for %s", (_what, resources, expected) => {
    const admitted = admittedTemplate(having(`${CONTAINER}.resources`, resources));
    expect(valueAt(admitted, `${CONTAINER}.resources.0`)).toEqual({ requests: expected, limits: expected });
  });

  it.each([
    ["too little memory for its CPU", { ...size, cpu: "2" }, { cpu: "2000m", memory: "2048Mi" }],
    ["too little CPU for its memory", { ...size, memory: "13Gi" }, { cpu: "2000m", memory: "13312Mi" }],
    ["too little of both", { ...size, cpu: "10m", memory: "16Mi" }, { cpu: "50m", memory: "52Mi" }],
  ])("raises a pod with %s", (_what, asked, expected) => {
    const admitted = admittedTemplate(having(`${CONTAINER}.resources`, [{ requests: asked, limits: asked }]));
    expect(valueAt(admitted, `${CONTAINER}.resources.0.requests`)).toMatchObject(expected);
  });

  it("takes the containers that run beside the others for part of the pod", () => {
    const beside = { name: "proxy", restart_policy: "Always", resources: [{ requests: size, limits: size }] };
    const big = { ...size, memory: "6500Mi" };
    const pod = having("spec.0.init_container", [{ ...beside, security_context: [hardened] }]);
    const admitted = admittedTemplate(having(`${CONTAINER}.resources`, [{ requests: big, limits: big }], pod));
    expect(valueAt(admitted, `${CONTAINER}.resources.0.requests.memory`)).toBe("6500Mi");
  });

  it("reads quantities in every notation", () => {
    expect(["250m", "1", "0.5", "52Mi", "2Gi", "1k"].map(quantity)).toEqual([0.25, 1, 0.5, 54525952, 2147483648, 1000]);
  });
});
