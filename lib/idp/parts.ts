import { type ITerraformDependable } from "cdktf";

import { type Condition } from "../core/expr/conditions";
import { type WorkloadIdentity } from "../core/identity";
import { type ReadableSecret } from "../core/secrets/stored-secret";

/** What an identity provider needs from its platform, kept to a minimum so that another platform can provide it. */

/** A database instance with the application's role and database. */
export interface SqlInstance {
  /** Name of the instance in its project. */
  readonly instanceName: string;

  /**
   * Public image with a POSIX shell and clients of the server's major version.
   *
   * @default - one of PostgreSQL 15
   */
  readonly clientImage?: string;

  /**
   * Image of the Cloud SQL proxy, which on GKE runs beside each container.
   *
   * @default - the release that is tested
   */
  readonly proxyImage?: string;

  /** Name by which the Cloud SQL proxies find the instance: `<project>:<region>:<instance>`. */
  readonly connectionName: string;

  /** Name of the application's database. */
  readonly databaseName: string;

  /** Name of the application's login. */
  readonly userName: string;

  /**
   * Role that the login acts as, and that owns all objects.
   *
   * @default - the login itself
   */
  readonly ownerName?: string;

  /**
   * The login that takes turns with `userName`, and the number of the password; empty at plan without one.
   *
   * @default - none
   */
  readonly otherLogin?:
    { readonly name: string; readonly passwordVersion: string; readonly condition: Condition } | undefined;

  /** Password of the application's role. */
  readonly password: ReadableSecret;

  /** Password of the login that creates role and database. */
  readonly administratorPassword: ReadableSecret;

  /**
   * Login that creates role and database; the application's own, if it may only check them.
   *
   * @default "postgres"
   */
  readonly administratorName?: string;

  /**
   * Project of the instance.
   *
   * @default - that of the deployment
   */
  readonly projectId?: string;

  /** Whether the instance has a private address. */
  readonly hasPrivateAddress: Condition;

  /**
   * Who manages the instance: `deployment`, or `others`; then only they can restore or clone it.
   *
   * @default "deployment"
   */
  readonly instanceOwner?: string | undefined;

  /** What must exist before anything can connect. */
  readonly ready: ITerraformDependable[];

  /** Allows an identity to connect through the Cloud SQL proxy; empty if the identity takes no grants. */
  grantConnect(identity: WorkloadIdentity): ITerraformDependable[];
}

/** Where images are pushed, and the account that pushes them. */
export interface ImageRepository {
  /** Prefix of image names: `<region>-docker.pkg.dev/<project>/<repository>`. */
  readonly imagePrefix: string;

  /** E-mail address of the service account that builds and pushes. */
  readonly builderEmail: string;

  /** What must exist before a build can start: repository, account, grants, APIs. */
  readonly ready: ITerraformDependable[];

  /** Allows an identity to pull the images of this repository and no others. */
  grantPull(identity: WorkloadIdentity): ITerraformDependable[];
}

/** An image to run. */
export interface ContainerImage {
  /** Image with its tag or digest. */
  readonly containerImage: string;

  /** What must exist before the image can be pulled. */
  readonly ready: ITerraformDependable[];

  /** Allows an identity to pull the image, if the platform pulls as an identity; empty for a public image. */
  grantPull(identity: WorkloadIdentity): ITerraformDependable[];
}

/** A folder of files that outlives the instances that mount it. */
export interface MediaStore {
  /** Name of the mount within the container, for example `storage`. */
  readonly name: string;

  /** Name of the bucket that holds the files. */
  readonly bucketName: string;

  /** Path of the files in the container. */
  readonly mountPath: string;

  /** Options of Cloud Storage FUSE, without dashes. */
  readonly mountOptions: readonly string[];

  /** What must exist before the folder can be mounted. */
  readonly ready: ITerraformDependable[];

  /** Allows an identity to read and write the files. */
  grantReadWrite(identity: WorkloadIdentity): ITerraformDependable[];
}
