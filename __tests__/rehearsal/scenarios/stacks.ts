import { type StackRehearsal } from "../engine/stack-rehearsal";
import { ASSESSMENT_LAB } from "./assessment-lab";
import { IDP_KUBERNETES } from "./idp-kubernetes";
import { IDP_SERVERLESS } from "./idp-serverless";

/** The rehearsal of every stack, by name. */
export const REHEARSALS: Readonly<Record<string, StackRehearsal>> = {
  "idp-serverless": IDP_SERVERLESS,
  "idp-kubernetes": IDP_KUBERNETES,
  "assessment-lab": ASSESSMENT_LAB,
};
