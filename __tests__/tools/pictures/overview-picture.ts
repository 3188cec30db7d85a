import { type Terraform } from "../../support/synthesis";
import { DefaultDeployment, type Element } from "./default-deployment";
import { AccessRights } from "./overview-access";
import { connections, upstreamImages, waysOut } from "./overview-connections";
import { ANYONE, openings } from "./overview-doors";
import { drawingOf, reasonFor } from "./picture-words";
import { pictureId, type Arrow, type Frame, type Picture, type PictureNode } from "./picture";

/**
 * What a stack makes with the defaults: what is open to whom, what talks to what, and who may read what.
 *
 * Everything in it is read from the synthesized configuration.
 *
 * @throws Error when a resource is neither drawn nor explained, or a grant leads nowhere
 */
export function overviewPicture(stack: string, terraform: Terraform): Picture {
  const { absent, deployment, drawn } = divided(terraform);
  const rights = new AccessRights(
    deployment,
    drawn.filter((element) => drawingOf(element)?.kind === "program"),
  );
  const frames = framesOf(deployment, drawn);
  const outside = new Map<string, PictureNode>();
  const outsider = (lines: readonly string[]): string => {
    const id = pictureId(`from_${lines.join("_")}`);
    outside.set(id, { id, lines, kind: "outside" });
    return id;
  };

  const arrows: Arrow[] = [
    ...openings(deployment).map(({ from, to, words }) => ({
      from: outsider(from),
      to: "element" in to ? idOf(to.element) : pictureId(to.within),
      words,
    })),
    ...rights.publicAccesses.map(({ to, words }) => ({ from: outsider(ANYONE), to: idOf(to), words })),
    ...[...connections(deployment), ...rights.accesses].map(({ from, to, words }) => ({
      from: idOf(from),
      to: idOf(to),
      words,
    })),
    ...upstreamImages(deployment).map(({ from, image }) => ({
      from: idOf(from),
      to: outsider(image.split(/\/(?=[^/]+\/)/)),
      words: "starts from",
    })),
    ...waysOut(deployment).flatMap(({ namespace }) =>
      deployment.existingOf("google_compute_router_nat").map((nat) => ({ from: pictureId(namespace), to: idOf(nat) })),
    ),
  ];
  const nodes = drawn.map((element) => nodeOf(element, deployment, rights, frames));
  const together = withSecretsTogether([...outside.values(), ...nodes], arrows);
  return {
    title: `${stack}: what talks to what, who may read what, what is open to whom`,
    description: `With the defaults. Not drawn is what these inputs add: ${[...new Set(absent.values())]
      .sort()
      .map((input) => `\`${input}\``)
      .join(", ")}.`,
    direction: "LR",
    // In this order, which was found by looking at both languages, the fewest arrows cross.
    frames: frames.map(({ id, words }) => ({ id, words })).reverse(),
    nodes: [
      ...together.nodes.filter(({ frame }) => frame === SECRET_MANAGER),
      ...together.nodes.filter(({ frame }) => frame !== SECRET_MANAGER).reverse(),
    ],
    arrows: inOne(together.arrows).reverse(),
  };
}

/** What becomes of each resource: it is drawn, a reason, or the input with which it would come. */
export function explainedResources(terraform: Terraform): ReadonlyMap<string, string> {
  const { absent, deployment, drawn } = divided(terraform);
  return new Map(
    deployment.elements.map((element) => {
      const input = absent.get(element.address);
      if (input !== undefined) return [element.address, `comes with ${input}`];
      return [element.address, drawn.includes(element) ? "drawn" : (reasonFor(element) ?? "")];
    }),
  );
}

function divided(terraform: Terraform) {
  const deployment = new DefaultDeployment(terraform);
  const drawn = deployment.existing.filter((element) => drawingOf(element) !== undefined);
  const unexplained = deployment.existing.filter(
    (element) => !drawn.includes(element) && reasonFor(element) === undefined,
  );
  if (unexplained.length > 0) {
    const addresses = unexplained.map(({ address }) => address).join(", ");
    throw new Error(`no overview shows or explains ${addresses}; add them to picture-words.ts`);
  }
  return { absent: deployment.inputsOfAbsent(), deployment, drawn };
}

function nodeOf(
  element: Element,
  deployment: DefaultDeployment,
  rights: AccessRights,
  frames: readonly FrameOf[],
): PictureNode {
  const { kind = "program", lines = () => [] } = drawingOf(element) ?? {};
  const frame = frames.find(({ elements }) => elements.includes(element));
  return {
    id: idOf(element),
    kind,
    lines: [
      ...lines(element, deployment),
      ...rights.accountsOf(element).map((account) => `acts as ${account}`),
      ...rights.projectRights.filter(({ of }) => of === element).map(({ words }) => words),
    ].filter((line) => typeof line === "string"),
    ...(frame === undefined ? {} : { frame: frame.id }),
  };
}

const SECRET_MANAGER = "secret_manager";

interface FrameOf extends Frame {
  readonly elements: readonly Element[];
}

/** Secret Manager, the namespace of a cluster, and the network of virtual machines. */
function framesOf(deployment: DefaultDeployment, drawn: readonly Element[]): FrameOf[] {
  const within = (owner: Element) => drawn.filter(({ block }) => deployment.named(block).has(owner.address));
  return [
    {
      id: SECRET_MANAGER,
      words: "Secret Manager",
      elements: drawn.filter(({ type }) => type === "google_secret_manager_secret"),
    },
    ...deployment.existingOf("kubernetes_namespace_v1").map((namespace) => ({
      id: pictureId(namespace.address),
      words: "namespace in the cluster",
      elements: within(namespace),
    })),
    ...deployment.existingOf("google_compute_network").map((network) => ({
      id: pictureId(network.address),
      words: `network ${deployment.shownName(network.block.name)}`,
      elements: within(network).filter(({ type }) => type === "google_compute_instance"),
    })),
  ].filter(({ elements }) => elements.length > 0);
}

/** One node for all secrets that the same ones reach in the same way. */
function withSecretsTogether(nodes: readonly PictureNode[], arrows: readonly Arrow[]) {
  const reach = ({ id }: PictureNode): string =>
    arrows
      .filter(({ to }) => to === id)
      .map(({ from, words }) => `${from} ${words ?? ""}`)
      .sort()
      .join();
  const heads = new Map<string, PictureNode>();
  const own = new Map<string, string>();
  for (const node of nodes) {
    const key = node.frame === SECRET_MANAGER ? reach(node) : node.id;
    const head = heads.get(key);
    own.set(node.id, head?.id ?? node.id);
    heads.set(key, head === undefined ? node : { ...head, lines: [...head.lines, ...node.lines] });
  }
  const moved = (id: string): string => own.get(id) ?? id;
  return {
    nodes: [...heads.values()],
    arrows: arrows.map((arrow) => ({ ...arrow, from: moved(arrow.from), to: moved(arrow.to) })),
  };
}

/** One arrow for all from the same to the same, with the words of all. */
function inOne(arrows: readonly Arrow[]): Arrow[] {
  const between = new Map<string, Arrow>();
  for (const arrow of arrows) {
    const key = `${arrow.from} ${arrow.to}`;
    const words = [between.get(key)?.words, arrow.words].flatMap((each) => each?.split("<br/>") ?? []);
    between.set(key, words.length === 0 ? arrow : { ...arrow, words: [...new Set(words)].join("<br/>") });
  }
  return [...between.values()];
}

function idOf({ address }: Element): string {
  return pictureId(address);
}
