import {
  Aspects,
  TerraformDataSource,
  TerraformElement,
  TerraformProvider,
  TerraformResource,
  TerraformStack,
  Token,
} from "cdktf";
import { type IConstruct } from "constructs";

import { terraformName } from "./inputs/rules";
import { RulesBrokenError } from "./inputs/rules-broken-error";
import { prose } from "./prose";
import { filesOf } from "./stack-file";

/** Providers with accepted releases in this file. */
export type ProviderName = "aws" | "google" | "kubernetes" | "random" | "tls";

/**
 * Accepted releases per provider: from the oldest release with every attribute that the library emits, up to the next
 * major release.
 *
 * google 7.42 added job execution at apply, random 3.7 the ephemeral password, kubernetes 3.2.1 the restart policy of
 * init containers, which sidecars need; the stacks are tested with tls 4.1 and aws 5.100. The prebuilt bindings would
 * pin the exact release they were generated from, which may be older.
 */
export const PROVIDER_REQUIREMENTS = {
  aws: { source: "hashicorp/aws", version: ">= 5.100.0, < 7.0.0" },
  google: { source: "hashicorp/google", version: ">= 7.42.0, < 9.0.0" },
  kubernetes: { source: "hashicorp/kubernetes", version: ">= 3.2.1, < 4.0.0" },
  random: { source: "hashicorp/random", version: ">= 3.7.2, < 4.0.0" },
  tls: { source: "hashicorp/tls", version: ">= 4.1.0, < 5.0.0" },
} as const satisfies Record<ProviderName, Readonly<Record<"source" | "version", string>>>;

/**
 * The oldest release with both ephemeral resources (Terraform 1.10) and write-only attributes (1.11), also of OpenTofu.
 */
const OLDEST_TERRAFORM = ">= 1.11.0";

// If a password or a script of a job is replaced too, 1.16.0 creates the new job before it destroys the former one of
// the same name (hashicorp/terraform#39091).
const TERRAFORM_VERSION = `${OLDEST_TERRAFORM}, != 1.16.0`;

/**
 * States the accepted releases of a provider in the construct's stack, instead of the bindings' exact pin.
 *
 * Requirements that the stack's owner adds by `addOverride`, even later, apply as well.
 */
export function requireProvider(scope: IConstruct, name: ProviderName): void {
  StackRequirements.of(scope).providers.add(name);
}

/** States the accepted releases of all providers that a construct uses, including resources that are added later. */
export function stateProvidersOf(construct: IConstruct): void {
  const { node } = construct;
  // cdktn refuses write-only attributes in a project that does not state its Terraform releases.
  if (node.children.length === 0 && node.tryGetContext("targetVersions") === undefined)
    node.setContext("targetVersions", { terraform: OLDEST_TERRAFORM, opentofu: OLDEST_TERRAFORM });
  StackRequirements.of(construct).constructs.add(construct);
  // Installs the synthesizer that refuses the framework's own HCL, also for a stack without files.
  filesOf(TerraformStack.of(construct));
}

/** Marks that the folder of a construct's stack has scripts that call Google's APIs. */
export function stateScriptsOf(construct: IConstruct): void {
  StackRequirements.of(construct).hasScripts = true;
}

/** Metadata of resources, data sources and providers; the library may not use the provider itself. */
interface Generated extends IConstruct {
  readonly terraformGeneratorMetadata?: { readonly providerName: ProviderName };
}

/** Combines the requirements of a stack's constructs with the requirements of the stack's owner. */
class StackRequirements extends TerraformElement {
  static of(scope: IConstruct): StackRequirements {
    const stack = TerraformStack.of(scope);
    return (stack.node.tryFindChild(ELEMENT_ID) as StackRequirements | undefined) ?? new StackRequirements(stack);
  }

  readonly providers = new Set<ProviderName>();
  readonly constructs = new Set<IConstruct>();
  hasScripts = false;

  private constructor(stack: TerraformStack) {
    super(stack, ELEMENT_ID);
    // A plain stack reads the overrides before it renders this element, so without the aspect, the first rendering
    // would lack them.
    Aspects.of(this).add({ visit: () => void this.toTerraform() });
    this.node.addValidation({ validate: () => this.refuseMissingProviders() });
    this.node.addValidation({ validate: () => this.refuseTwoDefaults() });
    this.node.addValidation({ validate: () => this.refuseTwoIdentities() });
  }

  /** Elements inside the constructs, each with the name of its provider. */
  private get elements(): readonly (readonly [ProviderName, IConstruct])[] {
    return this.cdktfStack.node.findAll().flatMap((element) => {
      const { providerName: name } = (element as Generated).terraformGeneratorMetadata ?? {};
      const isWithin = element.node.scopes.some((scope) => this.constructs.has(scope));
      return name !== undefined && name in PROVIDER_REQUIREMENTS && isWithin ? [[name, element] as const] : [];
    });
  }

  /**
   * Names the construct, unlike the framework's own message. Throws, because otherwise the framework's message would be
   * listed first.
   */
  private refuseMissingProviders(): string[] {
    const present = this.cdktfStack.node.findAll().filter((element) => TerraformProvider.isTerraformProvider(element));
    const namesOf = (providers: readonly TerraformProvider[]) =>
      new Set(providers.map((provider) => provider.terraformGeneratorMetadata?.providerName));
    const configured = namesOf(present);
    const byDefault = namesOf(present.filter(({ alias }) => alias === undefined));
    const missing = new Map<ProviderName, string>();
    for (const [name, element] of this.elements) {
      const hasNone = isManaged(element) && element.provider === undefined && !byDefault.has(name);
      if (hasNone && !missing.has(name)) missing.set(name, element.node.path);
    }
    const failures = [...missing].map(([name, path]) => {
      const construct = `${name.charAt(0).toUpperCase()}${name.slice(1)}Provider`;
      if (configured.has(name))
        return prose`
          each provider ${name} has an alias, and ${path} names none of them; it must,
          because Terraform would give it an empty configuration; set its provider,
          or that of a whole construct by an aspect, or add one without alias
        `;
      return prose`
        the provider ${name} is missing, which ${path} needs; a construct adds none,
        because its configuration is the stack's to decide; add new ${construct}(stack, "${name}") to the stack
      `;
    });
    if (failures.length > 0) throw new RulesBrokenError(this.cdktfStack.node.path, failures);
    return [];
  }

  /**
   * Refuses two providers without an alias, for example if a program adds a provider after a construct has added its
   * own.
   */
  private refuseTwoDefaults(): string[] {
    const defaults = new Map<string, string[]>();
    for (const element of this.cdktfStack.node.findAll()) {
      if (!TerraformProvider.isTerraformProvider(element) || element.alias !== undefined) continue;
      const { terraformResourceType: name } = element;
      defaults.set(name, [...(defaults.get(name) ?? []), element.node.path]);
    }
    const failures = [...defaults]
      .filter(([, paths]) => paths.length > 1)
      .map(
        ([name, paths]) =>
          prose`
          ${paths.join(" and ")} configure the provider ${name}, ${paths.length === 2 ? "both" : "all"}
          without an alias; only one may, because Terraform takes it by default; give the second an alias,
          or add it before the first, which then gets one
        `,
      );
    if (failures.length > 0) throw new RulesBrokenError(this.cdktfStack.node.path, failures);
    return [];
  }

  /**
   * Scripts use the credentials of the environment, so the default provider must use them too. Providers with an alias
   * are exempt: each may belong to one of several tenants; then the environment's credentials must have access to all.
   */
  private refuseTwoIdentities(): string[] {
    if (!this.hasScripts) return [];
    const used = new Set(
      this.elements.flatMap(([name, element]) => (name === "google" && isManaged(element) ? [element.provider] : [])),
    );
    const problems = this.cdktfStack.node.findAll().flatMap((provider) => {
      if (!TerraformProvider.isTerraformProvider(provider) || provider.terraformResourceType !== "google") return [];
      const isUsed = used.has(undefined) || used.has(provider);
      if (provider.alias !== undefined || !isUsed) return [];
      return identitiesOf(provider).map(
        ({ argument, variable, who }) =>
          prose`
          ${provider.node.path} makes Terraform act as ${who}, and the scripts of the folder would act as
          whoever applies; it must not, because what the one creates may be closed to the other; leave out
          ${argument} and export ${variable}, which both read
        `,
      );
    });
    if (problems.length > 0) throw new RulesBrokenError(this.cdktfStack.node.path, problems);
    return [];
  }

  /**
   * Adds the requirements as overrides, which the framework merges over all blocks. Runs at rendering, because the
   * owner's overrides are complete only then.
   *
   * @throws RulesBrokenError if the owner's overrides cannot be combined with the requirements
   */
  override toTerraform(): unknown {
    const { rawOverrides } = this.cdktfStack as unknown as { rawOverrides: { terraform?: Record<string, unknown> } };
    const { required_providers: providers, required_version: terraformVersion } = rawOverrides.terraform ?? {};
    const failures: string[] = [];
    const override = (path: string, needed: string, given: unknown) => {
      if (given === undefined || typeof given === "string") {
        this.cdktfStack.addOverride(`terraform.${path}`, bothOf(needed, given));
        return;
      }
      failures.push(
        prose`
          terraform.${path} is overridden by ${JSON.stringify(given)};
          it must be a version constraint as a string, because it is combined with "${needed}",
          which the constructs need; write for example "${needed}"
        `,
      );
    };

    override("required_version", TERRAFORM_VERSION, terraformVersion);
    for (const name of new Set([...this.providers, ...this.elements.map(([provider]) => provider)])) {
      const { source, version } = PROVIDER_REQUIREMENTS[name];
      const written = (providers as Readonly<Record<string, unknown>> | undefined)?.[name];
      // Terraform accepts a bare constraint as well as an object.
      const given: { readonly version?: unknown } = typeof written === "object" ? { ...written } : { version: written };
      this.cdktfStack.addOverride(`terraform.required_providers.${name}`, { source, ...given });
      override(`required_providers.${name}.version`, version, given.version);
    }
    if (failures.length > 0) throw new RulesBrokenError(this.cdktfStack.node.path, failures);
    return {};
  }
}

function isManaged(element: IConstruct): element is TerraformDataSource | TerraformResource {
  return TerraformResource.isTerraformResource(element) || TerraformDataSource.isTerraformDataSource(element);
}

/** Arguments that set a provider's identity, and the environment variables that it reads without them. */
const IDENTITY_ARGUMENTS = {
  accessToken: "GOOGLE_OAUTH_ACCESS_TOKEN",
  credentials: "GOOGLE_CREDENTIALS",
  impersonateServiceAccount: "GOOGLE_IMPERSONATE_SERVICE_ACCOUNT",
} as const;

/** Identities that the arguments of a provider set. */
function identitiesOf(provider: TerraformProvider) {
  const { provider: written } = provider.toTerraform() as { readonly provider: Record<string, readonly object[]> };
  const arguments_ = (written.google?.[0] ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(IDENTITY_ARGUMENTS).flatMap(([argument, variable]) => {
    const given = arguments_[terraformName(argument)] ?? "";
    if (given === "") return [];
    // The other arguments are secrets, so the message must not show them.
    const isName = argument === "impersonateServiceAccount" && typeof given === "string" && !Token.isUnresolved(given);
    return [{ argument, variable, who: isName ? given : "another account" }];
  });
}

/** Id that owners of stacks are unlikely to choose for their own constructs. */
const ELEMENT_ID = "cdktf-idp-stacks-requirements";

function bothOf(needed: string, given = ""): string {
  const parts = `${needed},${given}`.split(",").map((part) => part.trim());
  return [...new Set(parts)].filter((part) => part !== "").join(", ");
}
