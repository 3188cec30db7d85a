// Keeps programs on disk, with what V8 made of them in a run, so that the next one neither bundles nor compiles. Nothing
// depends on a kept program: one that is missing, damaged or not of these input files is made anew, and where none can be
// written, every run makes its own.
"use strict";

const { createHash, randomUUID } = require("node:crypto");
const { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } = require("node:fs");
const { dirname, posix } = require("node:path");
const { Script } = require("node:vm");

/** Files that decide what becomes of the inputs, besides these. */
const RECIPE = [
  "package.json",
  "tsconfig.json",
  "stacks/app.cjs",
  "stacks/bundles.cjs",
  "stacks/kept-program.cjs",
  "node_modules/.package-lock.json",
  "node_modules/esbuild/package.json",
];

/** Folders above which nothing decides where an import leads: the checkout, and where its packages are. */
const OUTERMOST = /(^|\/)(node_modules|[.]{1,2})$/;

/** How far the clocks of file systems lag behind. */
const CLOCK_MILLISECONDS = 1000;

/**
 * The program kept in a file, or a new one that is kept when the process succeeds.
 *
 * @param file absolute path
 * @param checkout folder that all inputs are relative to
 * @param key text that decides about the program, besides its inputs
 * @param make makes `code`, a function expression that takes what Node hands to a module, and lists its `inputs`; all else
 *   that it returns is kept, too
 * @returns what `make` returned besides, and `run`, which calls the code as a module and returns its exports
 */
exports.loadProgram = async ({ file, checkout, key, make }) => {
  const kept = readProgram(file, checkout, key);
  const { code, facts, stamps, compiled } = kept ?? (await newProgram(checkout, make));
  const run = (filename, require) => {
    const script = new Script(code, { filename, cachedData: compiled });
    // V8 refuses what another release of it compiled, or one with other options.
    const isAsKept = kept !== undefined && !script.cachedDataRejected;
    process.once("exit", (status) => {
      // Only now is everything compiled that a run needs.
      if (status === 0 && !isAsKept && stamps !== undefined) {
        keepProgram(file, { key, facts, stamps }, code, script.createCachedData());
      }
    });
    const module = { exports: {} };
    script.runInThisContext()(module.exports, require, module, filename, dirname(filename));
    return module.exports;
  };
  return { ...facts, run };
};

async function newProgram(checkout, make) {
  const start = Date.now();
  const { code, inputs, ...facts } = await make();
  const places = placesOf(checkout, inputs).map((place) => ({ place, stats: statsOf(checkout, place) }));
  // A file that was changed meanwhile may have been read before that or after it.
  const isSettled = places.every(({ stats }) => stats === undefined || stats.ctimeMs < start - CLOCK_MILLISECONDS);
  const stamps = isSettled ? places.map(({ place, stats }) => [place, stampOf(stats)]) : undefined;
  return { code, facts, stamps };
}

/** Whatever a change of would change the program: the inputs, what is in their folders, and how all are treated. */
function placesOf(checkout, inputs) {
  const folders = new Set();
  for (const input of inputs) {
    let folder = posix.dirname(input);
    for (; !OUTERMOST.test(folder) && !folders.has(folder); folder = posix.dirname(folder)) folders.add(folder);
  }
  // The folder tells when one is added.
  const packages = [...folders].map((folder) => `${folder}/package.json`).filter((path) => statsOf(checkout, path));
  return [...RECIPE, ...inputs, ...folders, ...packages];
}

/** Differs after any change: the time of a change of status, unlike that of a modification, can't be set. */
function stampOf(stats) {
  return stats === undefined ? "" : `${stats.ino} ${stats.size} ${stats.ctimeMs}`;
}

function statsOf(checkout, place) {
  return statSync(`${checkout}/${place}`, { throwIfNoEntry: false });
}

/*
 * A kept program is a line with a checksum of all that follows, a line of JSON, the code and what V8 made of it. V8 itself
 * checks only who compiled it, and ends the process on data that is damaged.
 */

function readProgram(file, checkout, key) {
  try {
    const bytes = readFileSync(file);
    const body = bytes.indexOf("\n") + 1;
    if (bytes.latin1Slice(0, body) !== checksumLine(bytes.subarray(body))) return undefined;
    const codeStart = bytes.indexOf("\n", body) + 1;
    const head = JSON.parse(bytes.toString("utf8", body, codeStart));
    const isChanged = ([place, stamp]) => stampOf(statsOf(checkout, place)) !== stamp;
    if (head.key !== key || head.stamps.some(isChanged)) return undefined;
    const codeEnd = codeStart + head.codeLength;
    return { ...head, code: bytes.latin1Slice(codeStart, codeEnd), compiled: bytes.subarray(codeEnd) };
  } catch {
    return undefined;
  }
}

function keepProgram(file, head, code, compiled) {
  const line = `${JSON.stringify({ ...head, codeLength: code.length })}\n`;
  const body = Buffer.concat([Buffer.from(line), Buffer.from(code, "latin1"), compiled]);
  const ownFile = `${file}.${randomUUID()}`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(ownFile, Buffer.concat([Buffer.from(checksumLine(body)), body]));
    // Others that run at the same time see the old one or this one, never a part.
    renameSync(ownFile, file);
  } catch {
    rmSync(ownFile, { force: true });
  }
}

function checksumLine(bytes) {
  return `${createHash("sha1").update(bytes).digest("hex")}\n`;
}
