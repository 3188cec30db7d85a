// Caches programs on disk, with the code that V8 compiled in a run, so that the next run neither bundles nor compiles.
// The cache is optional: a program that is missing, damaged or made from other input files is built again, and if it
// cannot be written, every run builds its own.
"use strict";

const { createHash, randomUUID } = require("node:crypto");
const { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } = require("node:fs");
const { dirname, posix } = require("node:path");
const { Script } = require("node:vm");

/** Files, besides the inputs, that influence the bundle. */
const RECIPE = [
  "package.json",
  "tsconfig.json",
  "stacks/app.cjs",
  "stacks/bundles.cjs",
  "stacks/kept-program.cjs",
  "node_modules/.package-lock.json",
  "node_modules/esbuild/package.json",
];

/** Folders above which nothing influences the resolution of imports: the checkout, and the folder with its packages. */
const OUTERMOST = /(^|\/)(node_modules|[.]{1,2})$/;

/** How far the clock of a file system may lag behind. */
const CLOCK_MILLISECONDS = 1000;

/**
 * The program cached in a file, or a new one that is cached when the process succeeds.
 *
 * @param file absolute path
 * @param checkout folder that all inputs are relative to
 * @param key string that identifies the program, besides its inputs
 * @param make returns `code`, a function expression with the parameters of a Node module, and its `inputs`;
 *   everything else that it returns is cached too
 * @returns what else `make` returned, and `run`, which calls the code as a module and returns its exports
 */
exports.loadProgram = async ({ file, checkout, key, make }) => {
  const kept = readProgram(file, checkout, key);
  const { code, facts, stamps, compiled } = kept ?? (await newProgram(checkout, make));
  const run = (filename, require) => {
    const script = new Script(code, { filename, cachedData: compiled });
    // V8 rejects code that was compiled by another release or with other options.
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
  // A file that was changed meanwhile may have been read before or after the change.
  const isSettled = places.every(({ stats }) => stats === undefined || stats.ctimeMs < start - CLOCK_MILLISECONDS);
  const stamps = isSettled ? places.map(({ place, stats }) => [place, stampOf(stats)]) : undefined;
  return { code, facts, stamps };
}

/** Everything that influences the program: the inputs, the contents of their folders, and how they are bundled. */
function placesOf(checkout, inputs) {
  const folders = new Set();
  for (const input of inputs) {
    let folder = posix.dirname(input);
    for (; !OUTERMOST.test(folder) && !folders.has(folder); folder = posix.dirname(folder)) folders.add(folder);
  }
  // The folder changes when a file is added.
  const packages = [...folders].map((folder) => `${folder}/package.json`).filter((path) => statsOf(checkout, path));
  return [...RECIPE, ...inputs, ...folders, ...packages];
}

/** Differs after any change: unlike the modification time, the time of a status change cannot be set. */
function stampOf(stats) {
  return stats === undefined ? "" : `${stats.ino} ${stats.size} ${stats.ctimeMs}`;
}

function statsOf(checkout, place) {
  return statSync(`${checkout}/${place}`, { throwIfNoEntry: false });
}

/*
 * A cached program is a line with a checksum of everything that follows, a line of JSON, the code, and V8's compiled form
 * of it. V8 itself checks only its own version, and ends the process on damaged data.
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
    // Concurrent runs see the old file or this one, never a part.
    renameSync(ownFile, file);
  } catch {
    rmSync(ownFile, { force: true });
  }
}

function checksumLine(bytes) {
  return `${createHash("sha1").update(bytes).digest("hex")}\n`;
}
