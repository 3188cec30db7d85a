import { type ITerraformDependable } from "cdktf";

import { type Condition } from "../core/expr/conditions";
import { type WorkloadIdentity } from "../core/identity";
import { type ReadableSecret } from "../core/secrets/stored-secret";

/**
 * Interfaces between an identity provider and its platform, kept to a minimum so that other platforms can implement
 * them.
 */

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
   * Image of the Cloud SQL proxy that runs beside each container on GKE.
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
   * Role under which the login acts; it owns all objects.
   *
   * @default - the login itself
   */
  readonly ownerName?: string;

  /**
   * The login that alternates with `userName`, and the number of the password; empty at plan without such a login.
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
   * Login that creates role and database; the application's own login, if role and database are only checked.
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
   * Manager of the instance: `deployment`, or `others`; in the latter case, only others can restore or clone it.
   *
   * @default "deployment"
   */
  readonly instanceOwner?: string | undefined;

  /** Dependencies of every connection. */
  readonly ready: ITerraformDependable[];

  /** Allows an identity to connect through the Cloud SQL proxy; empty if the identity takes no grants. */
  grantConnect(identity: WorkloadIdentity): ITerraformDependable[];
}

/** Repository for images, and the account that pushes them. */
export interface ImageRepository {
  /** Prefix of image names: `<region>-docker.pkg.dev/<project>/<repository>`. */
  readonly imagePrefix: string;

  /** E-mail address of the service account that builds and pushes. */
  readonly builderEmail: string;

  /** Dependencies of a build: repository, account, grants, APIs. */
  readonly ready: ITerraformDependable[];

  /** Allows an identity to pull the images of this repository and no others. */
  grantPull(identity: WorkloadIdentity): ITerraformDependable[];
}

/** An image to run. */
export interface ContainerImage {
  /** Image with its tag or digest. */
  readonly containerImage: string;

  /** Dependencies of everything that pulls the image. */
  readonly ready: ITerraformDependable[];

  /** Allows an identity to pull the image, if the platform pulls under an identity; empty for a public image. */
  grantPull(identity: WorkloadIdentity): ITerraformDependable[];
}

/** A folder of files that persists independently of the instances that mount it. */
export interface MediaStore {
  /** Name of the mount within the container, for example `storage`. */
  readonly name: string;

  /** Name of the bucket that holds the files. */
  readonly bucketName: string;

  /** Path of the files in the container. */
  readonly mountPath: string;

  /** Options of Cloud Storage FUSE, without dashes. */
  readonly mountOptions: readonly string[];

  /** Dependencies of a container that mounts the folder. */
  readonly ready: ITerraformDependable[];

  /** Allows an identity to read and write the files. */
  grantReadWrite(identity: WorkloadIdentity): ITerraformDependable[];
}
