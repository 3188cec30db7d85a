// Rooms of the rehearsal in the order in which they build on each other.
const REHEARSAL_ROOMS = ["project", "providers", "deployment", "engine", "scenarios", "command"];

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: "no-circular",
      severity: "error",
      comment: "Modules that need each other cannot be read one at a time.",
      from: {},
      to: { circular: true },
    },
    {
      name: "core-is-the-ground",
      severity: "error",
      comment: "core knows neither the product, nor where it runs, nor the lab.",
      from: { path: "^lib/core/" },
      to: { path: "^(lib/(?!core/)|stacks/)" },
    },
    {
      name: "idp-knows-no-platform",
      severity: "error",
      comment: "The identity provider is described once for every platform.",
      from: { path: "^lib/idp/" },
      to: { path: "^(lib/(platform|lab|[^/]+$)|stacks/)" },
    },
    {
      name: "platform-knows-no-lab",
      severity: "error",
      comment: "The lab is self-contained.",
      from: { path: "^lib/platform/" },
      to: { path: "^(lib/(lab/|[^/]+$)|stacks/)" },
    },
    {
      name: "lab-is-self-contained",
      severity: "error",
      comment: "The lab relies on no shared foundation but core.",
      from: { path: "^lib/lab/" },
      to: { path: "^(lib/(idp/|platform/|[^/]+$)|stacks/)" },
    },
    {
      name: "adapters-are-strangers",
      severity: "error",
      comment: "A fact that two platforms share belongs to neither of them.",
      from: { path: "^lib/platform/(serverless|kubernetes)/" },
      to: { path: "^lib/platform/(serverless|kubernetes)/", pathNot: "^lib/platform/$1/" },
    },
    {
      name: "no-cluster-without-kubernetes",
      severity: "error",
      comment: "Whoever installs the providers of Cloud Run alone can compile a program, types too.",
      from: { path: "^lib/(index|lab/index)\\.ts$" },
      to: { path: "node_modules/@cdktf/provider-kubernetes/", reachable: true },
    },
    {
      name: "no-provider-package-root",
      severity: "error",
      comment: "A provider package root loads hundreds of megabytes.",
      from: {},
      to: { path: "node_modules/@cdktf/provider-[^/]+/lib/index\\.js$" },
    },
    {
      name: "no-test-code-in-the-product",
      severity: "error",
      comment: "Tests may use the product, never the other way round.",
      from: { path: "^(lib|stacks)/" },
      to: { path: "^__tests__/" },
    },
    ...REHEARSAL_ROOMS.slice(0, -1).map((room, index) => ({
      name: `rehearsal-${room}-is-below`,
      severity: "error",
      comment: "Rooms of the rehearsal know those before them alone; tests may use later ones.",
      from: { path: `^__tests__/rehearsal/${room}/`, pathNot: "\\.test\\.ts$" },
      to: { path: `^__tests__/rehearsal/(${REHEARSAL_ROOMS.slice(index + 1).join("|")})/` },
    })),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
  },
};
