/**
 * Descriptions of inputs. A part in double brackets says what null or an empty value means, as in
 * `its size in GB[[; null for no limit]]`. The folder for one deployment leaves the part out if the input must be set
 * there.
 */

/** A description with all parts, without brackets. */
export const fullDescription = (marked: string): string => marked.replaceAll(/\[\[|\]\]/g, "");

/** A description without the parts in brackets, for an input that must be set. */
export const descriptionIfSet = (marked: string): string => marked.replaceAll(/ ?\[\[.*?\]\]/g, "").trim();
