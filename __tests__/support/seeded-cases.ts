// eslint-disable-next-line no-restricted-imports -- everything else draws its cases from here
import fc from "fast-check";

/** Draws the same cases in every run, so that nobody's first run fails by chance; `SEED=2 npm test` draws others. */
fc.configureGlobal({ seed: Number(process.env.SEED ?? 1) });

export { fc };
