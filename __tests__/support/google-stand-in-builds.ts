import { isObject, type JsonObject } from "./google-stand-in-schema";
import { ApiError, type ArtifactRegistry, type Call, type Service, textsAt } from "./google-stand-in-services";

type BuildStatus =
  "PENDING" | "QUEUED" | "WORKING" | "SUCCESS" | "FAILURE" | "INTERNAL_ERROR" | "TIMEOUT" | "CANCELLED" | "EXPIRED";

export interface BuildCourse {
  readonly states: readonly BuildStatus[];
  readonly statusDetail?: string;
  readonly failureInfo?: { readonly type: string; readonly detail: string };
  readonly exitCode?: number;
}

export interface BuildStep {
  readonly id?: string;
  readonly name: string;
  readonly env: readonly string[];
  readonly script: string;
}

export interface BuildRequest {
  readonly steps: readonly BuildStep[];
  readonly images: readonly string[];
  readonly serviceAccount: string;
  readonly options: JsonObject;
  readonly timeout: string;
  readonly queueTtl: string;
  readonly tags: readonly string[];
}

interface Build {
  readonly id: string;
  readonly request: JsonObject;
  readonly course: BuildCourse;
  looks: number;
  cancelled: boolean;
}

const ARGUMENT_LIMIT = 10_000;

/** Cloud Build: accepts builds, runs each through its course, and pushes the images of those that succeed. */
export class CloudBuild {
  readonly courses: BuildCourse[] = [];
  usualCourse: BuildCourse = { states: ["WORKING", "SUCCESS"] };
  private readonly builds: Build[] = [];

  readonly service: Service = {
    description: "cloudbuild.v1",
    endpointVariable: "GOOGLE_CLOUD_BUILD_CUSTOM_ENDPOINT",
    basePath: "v1/",
    handlers: Object.fromEntries(
      ["projects.builds", "projects.locations.builds"].flatMap((collection) => [
        [`${collection}.create`, (call: Call) => this.create(call)],
        [`${collection}.get`, (call: Call) => this.look(this.find(call))],
        [`${collection}.list`, (call: Call) => this.list(call)],
        [`${collection}.cancel`, (call: Call) => this.cancel(call)],
      ]),
    ),
  };

  constructor(private readonly registry: ArtifactRegistry) {}

  get accepted(): readonly BuildRequest[] {
    return this.builds.map((build) => build.request as unknown as BuildRequest);
  }

  private create(call: Call): JsonObject {
    refuseBadBuild(call.body);
    const build = {
      id: `0b1d0000-0000-4000-8000-${String(this.builds.length + 1).padStart(12, "0")}`,
      request: call.body,
      course: this.courses.shift() ?? this.usualCourse,
      looks: 0,
      cancelled: false,
    };
    this.builds.push(build);
    return {
      name: `operations/build/project/${build.id}`,
      metadata: {
        "@type": "type.googleapis.com/google.devtools.cloudbuild.v1.BuildOperationMetadata",
        build: this.resource(build),
      },
    };
  }

  private look(build: Build): JsonObject {
    const resource = this.resource(build);
    build.looks += 1;
    return resource;
  }

  private resource(build: Build): JsonObject {
    const { states, statusDetail, failureInfo, exitCode } = build.course;
    const last = build.looks >= states.length - 1;
    const status = build.cancelled ? "CANCELLED" : states[Math.min(build.looks, states.length - 1)];
    const images = textsAt(build.request, "images");
    const steps = (build.request.steps as readonly JsonObject[]).map((step, index) =>
      index === 0 && last && exitCode !== undefined ? { ...step, exitCode, status } : step,
    );
    return {
      ...build.request,
      steps,
      id: build.id,
      status,
      logUrl: `https://console.cloud.google.com/cloud-build/builds/${build.id}`,
      ...(last && statusDetail !== undefined ? { statusDetail } : {}),
      ...(last && failureInfo !== undefined ? { failureInfo } : {}),
      ...(status === "SUCCESS"
        ? { results: { images: images.map((name) => ({ name, digest: this.registry.push(name) })) } }
        : {}),
    };
  }

  private list(call: Call): JsonObject {
    const [, tag = ""] = /^tags="([^"]+)"$/.exec(call.query.get("filter") ?? "") ?? [];
    const builds = this.builds.filter((build) => textsAt(build.request, "tags").includes(tag));
    return builds.length === 0 ? {} : { builds: builds.map((build) => this.resource(build)) };
  }

  private cancel(call: Call): JsonObject {
    const build = this.find(call);
    build.cancelled = true;
    return this.resource(build);
  }

  private find(call: Call): Build {
    const id = call.parameters.id ?? call.parameters.name?.split("/").at(-1);
    const build = this.builds.find((candidate) => candidate.id === id);
    if (build === undefined) throw new ApiError(404, "NOT_FOUND", "Requested entity was not found.");
    return build;
  }
}

/** Refuses what the rules of Cloud Build forbid beyond its API description. */
function refuseBadBuild(build: JsonObject): void {
  const steps = Array.isArray(build.steps) ? build.steps.filter(isObject) : [];
  const logging = isObject(build.options) ? build.options.logging : undefined;
  if (build.serviceAccount !== undefined && logging !== "CLOUD_LOGGING_ONLY" && logging !== "NONE") {
    throw invalidArgument(
      "invalid build: with a build.service_account, use build.logs_bucket or CLOUD_LOGGING_ONLY / NONE logging",
    );
  }
  steps.forEach((step, index) => {
    if (textsAt(step, "env").some((text) => text.length > ARGUMENT_LIMIT))
      throw invalidArgument(`invalid build: invalid .steps field: build step ${index} too long (max: 10000)`);
  });
  const substituted = steps.flatMap((step) => textsAt(step, "env"));
  for (const text of [...substituted, ...textsAt(build, "images"), ...textsAt(build, "tags")]) {
    const name = /\$\{?(\w+)/.exec(text.replaceAll("$$", ""))?.[1];
    if (name !== undefined) throw invalidArgument(`key in the template "${name}" is not a valid substitution`);
  }
}

function invalidArgument(message: string): ApiError {
  return new ApiError(400, "INVALID_ARGUMENT", message);
}
