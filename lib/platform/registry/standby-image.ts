import { ArtifactRegistryRepositoryIamMember } from "@cdktf/provider-google/lib/artifact-registry-repository-iam-member";
import { Fn, type ITerraformDependable, TerraformLocal, Token } from "cdktf";
import { Construct } from "constructs";

import { type DeploymentContext } from "../../core/deployment-context";
import { allOf, countIf, isNever, isUnset } from "../../core/expr/conditions";
import { call, exprOf } from "../../core/expr/expr";
import { type GrantedAccount, granteeArguments, grantTo } from "../../core/identity";
import { imagePrefix, serviceName } from "../../core/names";
import { type ProjectApis, runsScript } from "../../core/project-apis";
import { addScript } from "../../core/stack-file";
import { TerraformData } from "../../core/terraform-data";
import { type IdpImage } from "../../idp/idp-image";
import { PUBLIC_IMAGES, referenceTo } from "../../idp/images";
import { type ContainerImage } from "../../idp/parts";
import { type Standby } from "../standby";
import { addRepository, type ImageRegistry } from "./image-registry";

interface StandbyImageProps {
  readonly apis: ProjectApis;
  readonly buildLocation: string | undefined;
  readonly buildPool: string | undefined;
  readonly context: DeploymentContext;
  readonly existingImage: string | undefined;
  readonly image: IdpImage;
  readonly imageMirror: string | undefined;
  /** Source of the image, and the account that copies it. */
  readonly registry: ImageRegistry;
  readonly standby: Standby;
}

/**
 * A copy of the image in a repository of a second region. It is updated after each build, so that the server there can
 * be changed while the first region is unavailable. An existing image is not copied, because its owner manages it.
 */
export class StandbyImage extends Construct implements ContainerImage {
  readonly containerImage: string;
  readonly ready: ITerraformDependable[];

  /** @internal */
  constructor(scope: Construct, id: string, props: StandbyImageProps) {
    super(scope, id);
    const { apis, buildPool, existingImage, image, imageMirror, registry, standby } = props;
    const context = { ...props.context, region: standby.region.text };
    const { deployment, projectId } = context;
    const condition = allOf(standby.condition, isUnset(existingImage));
    const repository = addRepository(this, context, {
      count: countIf(condition),
      dependsOn: apis.ready("artifactregistry"),
    });
    const isThere = ({ condition: needed = true }: GrantedAccount) => !isNever(allOf(condition, needed));
    const mayPush = registry.builders.filter(isThere).map((account) =>
      grantTo(
        account,
        new ArtifactRegistryRepositoryIamMember(this, `${account.name}Pushes`, {
          project: projectId,
          location: context.region,
          repository: serviceName(deployment),
          role: "roles/artifactregistry.writer",
          ...granteeArguments(account, condition, repository),
        }),
      ),
    );
    const prefix = imagePrefix(context.region, projectId, deployment);
    const original = image.builtImage ?? "";
    const copy = new TerraformLocal(this, "Reference", `${prefix}/${call("basename", [original]).text}`).asString;
    const script = addScript(this, "lib/idp/scripts/build-image.sh");
    const copied = new TerraformData(this, "Copy", {
      triggersReplace: { image: copy },
      provisioners: runsScript(script, {
        PROJECT_ID: projectId,
        BUILD_LOCATION: props.buildLocation ?? "global",
        ...(buildPool !== undefined && { BUILD_POOL: exprOf(buildPool).ifNull("").text }),
        BUILD_SERVICE_ACCOUNT: registry.builderEmail,
        IMAGE: copy,
        COPY_OF: original,
        BUILDER_IMAGE: referenceTo(PUBLIC_IMAGES.builder, imageMirror),
      }),
      count: countIf(condition),
      dependsOn: [...image.ready, ...mayPush],
    });
    this.containerImage = existingImage === undefined ? copy : Token.asString(Fn.coalesce([existingImage, copy]));
    this.ready = [...image.ready, copied];
  }

  /** Cloud Run pulls by an agent of the project. */
  grantPull(): ITerraformDependable[] {
    return [];
  }
}
