import { type Deployment, type Inputs } from "../deployment/deployment";
import { type Expected, inStep, requireActions, StepFailure } from "../deployment/steps";
import { Refusal } from "../project/cloud";
import { PROVIDERS } from "../project/provider-types";
import { type ResourceType } from "../project/resource-type";

/** A change that an owner makes to a deployment, with all the actions that it may cause. */
export interface ChangeScenario {
  readonly name: string;
  readonly change?: (deployment: Deployment) => void;
  /** Further arguments of the plan, for example `-replace=…`. */
  readonly planArguments?: readonly string[];
  readonly expected: Expected;
  /** Checks the project after the apply; throws if it is not as expected. */
  readonly verify?: (deployment: Deployment) => void;
}

/** A change whose actions need not be known. */
type Change = Partial<ChangeScenario> & Pick<ChangeScenario, "name">;

/** How a stack protects its data from deletion. */
export interface Protection {
  /** Inputs that switch the protection off. */
  readonly off: Inputs;
  /** Actions of switching it off. @default - anything */
  readonly expected?: Expected;
  /** Part of the output of a refused destroy. @default - anything */
  readonly refusal?: string;
}

/** The life of one deployment in steps; after each step, no secret may be readable anywhere. */
export class Journey {
  constructor(
    private readonly deployment: Deployment,
    private readonly timed: <Result>(step: string, work: () => Promise<Result>) => Promise<Result>,
  ) {}

  /** From an empty folder to an empty plan, with every output that the configuration declares. */
  async setUp(nullOutputs?: readonly string[]): Promise<void> {
    const { deployment } = this;
    await this.step("init", () => deployment.init());
    await this.step("validate", () => deployment.succeed("validate"));
    const file = await this.step("plan", async () => {
      const plan = await deployment.plan();
      const others = [...plan.actions].filter(([, action]) => action !== "create");
      if (others.length > 0) throw new StepFailure("plan", `a first plan only creates, but: ${others.join("; ")}`);
      return plan.file;
    });
    await this.step("apply", async () => {
      await deployment.succeed("apply", "-input=false", file);
      requireSoundness(deployment, "apply");
    });
    await this.step("plan again", () => deployment.requireEmptyPlan("plan again"));
    requireOutputs(deployment, nullOutputs);
  }

  /**
   * One change; what it would leave to do is in the plan of the next one, whose actions are exact, or before a destroy.
   */
  async change({ name, change, expected, planArguments = [], verify }: Change): Promise<void> {
    const { deployment } = this;
    await this.step(name, async () => {
      const former = deployment.givenSecrets;
      change?.(deployment);
      // A file is searched for what it was given.
      if (deployment.givenSecrets !== former) await deployment.plan(...planArguments);
      const actions = await deployment.applyAtOnce(...planArguments);
      if (expected !== undefined) requireActions(name, actions, expected);
      requireSoundness(deployment, name);
      verify?.(deployment);
    });
  }

  /** A destroy that is refused and deletes nothing, then one that is allowed and leaves nothing. */
  async tearDown(protection?: Protection, verify?: ChangeScenario["verify"]): Promise<void> {
    const { deployment } = this;
    if (protection !== undefined) {
      const destroy = ["destroy", "-auto-approve", "-input=false"];
      await this.step("destroy refused", () => deployment.refuseWholly(destroy, protection.refusal ?? ""));
      await this.change({
        name: "protection off",
        change: () => {
          deployment.inputs = { ...deployment.inputs, ...protection.off };
        },
        expected: protection.expected,
      });
    }
    await this.step("destroy", async () => {
      await deployment.requireEmptyPlan("plan before the destroy");
      await deployment.destroy();
      verify?.(deployment);
    });
  }

  /** Takes one step and scans for secrets. */
  private step<Result>(step: string, work: () => Promise<Result>): Promise<Result> {
    return this.timed(step, async () => {
      const result = await inStep(step, work);
      this.deployment.requireNoLeaks(step);
      return result;
    });
  }
}

const TYPES: Readonly<Record<string, ResourceType>> = Object.assign(
  {},
  ...Object.values(PROVIDERS).map(({ resources }) => resources),
) as Readonly<Record<string, ResourceType>>;

/** Fails unless the project is sound, as it must be after every successful apply. */
export function requireSoundness({ cloud }: Pick<Deployment, "cloud">, step: string): void {
  const payloads = new Set([...cloud.livePayloads.values(), ...cloud.othersPayloads.values()]);
  for (const [instance, password] of cloud.administratorPasswords)
    if (!payloads.has(password))
      throw new StepFailure(step, `no secret has the administrator's password of ${instance}`);
  for (const object of cloud.objects.values()) {
    const what = `${object.type} ${object.id}`;
    const missing = cloud.missingNeeds(object).map(({ what: need }) => need);
    if (missing.length > 0) throw new StepFailure(step, `${what} has lost ${missing.join("; ")}`);
    for (const [name, value] of Object.entries(object.writeOnly)) {
      if (!payloads.has(value)) throw new StepFailure(step, `${name} of ${what} is the payload of no stored secret`);
    }
    try {
      TYPES[object.type]?.requireStart?.(object, cloud);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw new StepFailure(step, `a new instance could not start: ${error.message}`);
    }
  }
}

function requireOutputs({ configuration, state }: Deployment, nullOutputs: readonly string[] | undefined): void {
  const declared = Object.keys(configuration.output ?? {}).sort();
  const { outputs = {} } = state;
  // Terraform does not keep null outputs.
  const isWrong = (name: string) =>
    outputs[name] === undefined ? nullOutputs?.includes(name) === false : nullOutputs?.includes(name) === true;
  const problems = [...declared.filter(isWrong), ...Object.keys(outputs).filter((name) => !declared.includes(name))];
  if (problems.length > 0) throw new StepFailure("output", `null or not, and should not be: ${problems.join(", ")}`);
}
