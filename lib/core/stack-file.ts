import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, posix, sep } from "node:path";

import { Fn, type IStackSynthesizer, type ISynthesisSession, TerraformLocal, TerraformStack, Token } from "cdktf";
import { type Construct, type IConstruct } from "constructs";

import { localReference } from "./expr/locals";
import { expression } from "./expr/terraform-text";
import { SYNTHESIZED } from "./hcl/hcl-files";
import { RulesBrokenError } from "./inputs/rules-broken-error";
import { packageFile } from "./package-file";
import { prose } from "./prose";

/** A file in the synthesized folder, next to the configuration that refers to it. */
export interface StackFile {
  /** Path in the configuration: `${path.module}/<path in the folder>`. */
  readonly path: string;

  /** Hash of the content, computed by Terraform at plan, so that an edit in a handed-over folder counts too. */
  readonly sha256: string;

  /** Content in base64, read by Terraform at plan. */
  readonly base64: string;

  /** Content as text, read by Terraform at plan. */
  readonly text: string;
}

/**
 * Copies a file of a package into the synthesized folder of the construct's stack.
 *
 * The framework's assets would do the same under `assets/<id>/<hash>/`; a plain path reads like a hand-written module,
 * lets scripts find each other, and keeps the configuration free of content hashes.
 *
 * @param source absolute path of the file
 * @param pathInFolder destination, for example `scripts/db-init.sh`; its first segment is reserved for these files
 * @throws Error if the destination has another source already
 */
export function addStackFile(scope: IConstruct, source: string, pathInFolder: string): StackFile {
  filesOf(TerraformStack.of(scope)).add(source, pathInFolder, (path) => {
    const { content, mode } = packagedFile(source);
    writeFileSync(path, content, { mode });
  });
  const path = `"\${path.module}/${pathInFolder}"`;
  // Getters, because few callers need each of them, and every expression costs a stack trace.
  return {
    path: `\${path.module}/${pathInFolder}`,
    get sha256() {
      return expression(`filesha256(${path})`);
    },
    get base64() {
      return expression(`filebase64(${path})`);
    },
    get text() {
      return expression(`file(${path})`);
    },
  };
}

/** What is copied, read once, because a program with many deployments copies the same files into each folder. */
const PACKAGED_FILES = new Map<string, PackagedFile>();

interface PackagedFile {
  readonly content: Buffer;
  /** Rights of the file, such as 0o755 for a program. */
  readonly mode: number;
}

function packagedFile(source: string): PackagedFile {
  const known = PACKAGED_FILES.get(source);
  if (known !== undefined) return known;
  const file = { content: readFileSync(source), mode: statSync(source).mode };
  PACKAGED_FILES.set(source, file);
  return file;
}

/**
 * Writes a text of one construct into the synthesized folder of its stack.
 *
 * @param text the text, or a function that returns it once the stack is complete
 * @throws Error as `addStackFile` does
 */
export function addStackText(scope: IConstruct, text: string | (() => string), pathInFolder: string): void {
  filesOf(TerraformStack.of(scope)).add(scope.node.path, pathInFolder, (path) => {
    writeFileSync(path, typeof text === "string" ? text : text());
  });
}

/** Copies a script of this package into the synthesized folder, where it may be edited. */
export function addScript(scope: IConstruct, pathInPackage: string): StackFile {
  return addStackFile(scope, packageFile(pathInPackage), `scripts/${posix.basename(pathInPackage)}`);
}

/** Hash that changes with any of the files. */
export function hashOf(files: readonly StackFile[]): string {
  const hashes = files.map(({ sha256 }) => sha256);
  return Fn.sha256(Fn.join(":", hashes));
}

/** Two scripts joined into one. */
export function joined(first: StackFile, second: StackFile): StackFile {
  const text = Token.asString(Fn.join("\n", [first.text, second.text]));
  return { path: second.path, text, base64: Fn.base64encode(text), sha256: Fn.sha256(text) };
}

/**
 * A condition that refuses, at plan, a folder with Windows line endings in its scripts, for example after a Git clone.
 */
export function unixLineEnds(scope: Construct): { readonly condition: string; readonly errorMessage: string } {
  const isWindows = `!endswith(name, ".ps1") && strcontains(try(file("\${path.module}/\${name}"), ""), "\\r\\n")`;
  const names = `[for name in sort(fileset(path.module, "{blueprints,image,scripts}/**")) : name if ${isWindows}]`;
  const found = localReference<readonly string[]>(new TerraformLocal(scope, "WindowsFiles", `\${${names}}`));
  return {
    condition: found.length().eq(0).text,
    errorMessage: prose`
      files have Windows line endings (CRLF), as after a clone with autocrlf; they must have those of Unix,
      because shells and the image cannot run others; run perl -pi -e 's/\\r$//' ${found.joinedBy(" ").text}
      in the folder, and keep its .gitattributes.
    `,
  };
}

/** File name of a configuration that the framework writes. */
const CONFIGURATION = "cdk.tf.json";

/** File that replaces it in a stack of HCL. */
export const HCL_MAIN_FILE = "versions.tf";

const COPYING_SYNTHESIZERS = new WeakMap<TerraformStack, CopyingSynthesizer>();

/** The files of a stack, which are written with its configuration. */
export function filesOf(stack: TerraformStack): CopyingSynthesizer {
  const known = COPYING_SYNTHESIZERS.get(stack);
  if (known !== undefined) return known;
  const created = new CopyingSynthesizer(stack);
  COPYING_SYNTHESIZERS.set(stack, created);
  stack.synthesizer = created;
  return created;
}

/** Runs the stack's previous synthesizer, then copies the files. */
class CopyingSynthesizer implements IStackSynthesizer {
  private readonly inner: IStackSynthesizer;
  private readonly files = new Map<string, { readonly source: string; readonly write: (path: string) => void }>();

  constructor(private readonly stack: TerraformStack) {
    this.inner = stack.synthesizer;
  }

  /**
   * @param source path of the file, or of the construct that provides the text
   * @param write writes the file to its place
   */
  add(source: string, pathInFolder: string, write: (path: string) => void): void {
    const present = this.files.get(pathInFolder)?.source;
    if (present !== undefined && present !== source) {
      throw new Error(
        prose`
          ${this.stack.node.path}: ${pathInFolder} would be written from ${present} and from ${source},
          and one of them would be lost; give one another place
        `,
      );
    }
    this.files.set(pathInFolder, { source, write });
  }

  synthesize(session: ISynthesisSession): void {
    const { manifest, outdir } = session;
    if (manifest.hclOutput) refuseForeignHcl(this.stack);
    const stackManifest = manifest.forStack(this.stack);
    const folder = join(outdir, stackManifest.workingDirectory);
    removeFormer(folder, manifest.hclOutput);
    if (manifest.hclOutput) {
      // Written beside the folder, because recipients of the folder do not need the framework's metadata.
      const stackMetadataPath = `${stackManifest.workingDirectory}.metadata.json`;
      Object.assign(stackManifest, {
        synthesizedStackPath: join(stackManifest.workingDirectory, HCL_MAIN_FILE),
        stackMetadataPath,
      });
    }
    // The framework's synthesizer reads this option only from the environment, not from its app.
    Object.assign(this.inner, { hclOutput: manifest.hclOutput });
    this.inner.synthesize(session);
    this.removeStale(folder);
    for (const [pathInFolder, { write }] of this.files) {
      mkdirSync(dirname(join(folder, pathInFolder)), { recursive: true });
      write(join(folder, pathInFolder));
    }
  }

  /**
   * Removes files of an earlier synthesis that are no longer needed. All others are overwritten, because that is
   * faster.
   */
  private removeStale(folder: string): void {
    const ownFolders = new Set([...this.files.keys()].map((path) => path.split("/")[0] ?? path));
    for (const own of [...ownFolders].filter((name) => isFolder(join(folder, name)))) {
      for (const name of readdirSync(join(folder, own), { recursive: true, encoding: "utf8" })) {
        const path = posix.join(own, ...name.split(sep));
        if (!this.files.has(path) && !isFolder(join(folder, path))) rmSync(join(folder, path));
      }
    }
  }
}

/** @throws RulesBrokenError for a stack with the framework's own HCL renderer, whose HCL differs from its JSON */
function refuseForeignHcl(stack: TerraformStack): void {
  if (stack.toHclTerraform !== TerraformStack.prototype.toHclTerraform) return;
  throw new RulesBrokenError(stack.node.path, [
    prose`
      HCL is asked for, and the stack is no PortableStack; it must be one,
      because the framework writes these constructs as HCL that Terraform cannot read;
      extend PortableStack, or synthesize JSON
    `,
  ]);
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Removes the configuration of an earlier synthesis in the other format, because Terraform would read both. */
function removeFormer(folder: string, isHcl: boolean): void {
  if (!isFolder(folder)) return;
  const isFormer = (name: string) =>
    name === CONFIGURATION
      ? isHcl
      : name.endsWith(".tf") && readFileSync(join(folder, name), "utf8").startsWith(SYNTHESIZED);
  for (const name of readdirSync(folder).filter(isFormer)) rmSync(join(folder, name));
}
