import { Cloud, Refusal } from "../cloud";
import { textAt } from "../terraform-value";
import { GOOGLE_TYPES } from "./google-types";
import { Project } from "./project-fixture";

let project: Project;

beforeEach(() => {
  project = new Project();
});

const READER = "roles/secretmanager.secretAccessor";

describe("A grant", () => {
  const grant = (member: string, secret = "key") =>
    project.apply("google_secret_manager_secret_iam_member", { secret_id: secret, role: READER, member });

  it("needs an account that exists", () => {
    project.secretOf("key");
    const member = "serviceAccount:runtime@my-project.iam.gserviceaccount.com";
    expect(() => grant(member)).toThrow(
      "needs what is not there: google_service_account projects/my-project/serviceAcc",
    );

    project.account("runtime");
    expect(textAt(grant(member), "member")).toBe(member);
  });

  it("needs no account for a member of the platform's own or a user", () => {
    project.secretOf("key");
    for (const member of [
      "serviceAccount:service-1@gcp-sa-x.iam.gserviceaccount.com",
      "user:a@example.com",
      "allUsers",
    ])
      expect(textAt(grant(member), "member")).toBe(member);
  });

  it("may be to an account of another project that others made", () => {
    project.secretOf("key");
    const email = "ci@tools.iam.gserviceaccount.com";
    expect(() => grant(`serviceAccount:${email}`)).toThrow(Refusal);

    project.cloud.others.add(`google_service_account projects/tools/serviceAccounts/${email}`);
    expect(textAt(grant(`serviceAccount:${email}`), "role")).toBe(READER);
  });

  it.each(["key", "projects/my-project/secrets/key", "projects/123456789012/secrets/key"])(
    "finds its secret by %s",
    (reference) => {
      project.secretOf("key");
      expect(grant("allUsers", reference)).toBeDefined();
      expect(() => grant("allUsers", reference.replace("key", "lock"))).toThrow("projects/my-project/secrets/lock");
    },
  );
});

describe("Where others' things are taken to be there", () => {
  beforeEach(() => {
    project.cloud.externalResourcesExist = true;
  });

  const bind = (bucket: string, name: string) =>
    project.apply("google_storage_bucket_iam_member", {
      ...{ bucket, role: "roles/storage.objectViewer" },
      member: `serviceAccount:${name}@my-project.iam.gserviceaccount.com`,
    });

  it("whatever is planned is not among them before it is made", () => {
    expect(bind("files", "runtime")).toBeDefined();
    project.plan("google_service_account", { account_id: "planned" });
    expect(() => bind("files", "planned")).toThrow(
      "google_service_account projects/my-project/serviceAccounts/planned@",
    );

    project.plan("google_storage_bucket", { name: "media", location: "EU" });
    expect(() => bind("media", "runtime")).toThrow("google_storage_bucket media");
    project.apply("google_storage_bucket", { name: "media", location: "EU" });
    expect(bind("media", "runtime")).toBeDefined();
  });

  it("a service is on and answers unless it is turned on here", () => {
    const cloud = new Cloud({ enabledApis: new Set(), hasImage: () => false, hasAnswered: () => false });
    const [isOn, answers] = GOOGLE_TYPES.google_storage_bucket?.needs?.({}, cloud) ?? [];
    const met = () => [isOn?.isMet(cloud), answers?.isMet(cloud)];
    expect(met()).toEqual([false, false]);

    cloud.externalResourcesExist = true;
    expect(met()).toEqual([true, true]);
    cloud.plan("google_project_service", "my-project/storage.googleapis.com");
    expect(met()).toEqual([false, true]);
    cloud.surroundings.enabledApis.add("storage.googleapis.com");
    expect(met()).toEqual([true, true]);
  });

  it("a thing whose identity is not known before the apply may be the one that is looked for", () => {
    const { cloud } = project;
    cloud.plan("thing", "projects/my-project/things/");
    expect(
      ["projects/my-project/things/a", "projects/others/things/a"].map((id) => cloud.hasOthers("thing", id)),
    ).toEqual([false, true]);
  });
});
