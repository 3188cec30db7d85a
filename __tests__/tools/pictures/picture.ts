/**
 * What a picture shows, before it is Mermaid or SVG.
 *
 * Both begin with what they meet first, so that the order of nodes and arrows decides how many arrows cross.
 */
export interface Picture {
  readonly title: string;

  /** What stands below it, in Markdown. */
  readonly description: string;

  readonly direction: "LR" | "TB";
  readonly frames: readonly Frame[];
  readonly nodes: readonly PictureNode[];
  readonly arrows: readonly Arrow[];
}

/** What surrounds nodes, by its id. */
export interface Frame {
  readonly id: string;
  readonly words: string;
}

export interface PictureNode {
  readonly id: string;

  /** The first line is its name. */
  readonly lines: readonly string[];
  readonly kind: Kind;

  /** The frame that it is in. */
  readonly frame?: string;
}

/** Who or what is outside, what lets in, what runs, what holds data, what is secret; a step, and one that others wait for. */
export type Kind = "data" | "door" | "outside" | "program" | "secret" | "step" | "main-step";

/** From a node or a frame to another. */
export interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly words?: string;

  /** Whether it is one of those that matter most. */
  readonly isMain?: boolean;
}

/** An id that both languages accept. */
export function pictureId(text: string): string {
  return text.replaceAll(/\W+/g, "_");
}
