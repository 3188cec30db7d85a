import {
  type ApiDescription,
  type ApiMethod,
  isObject,
  type JsonObject,
  schemaProblems,
} from "./google-stand-in-schema";
import { type ApiError, ReasonError } from "./google-stand-in-services";

/** HTTP status of each google.rpc.Code that an API answers with. */
const HTTP_STATUS: Readonly<Record<string, number>> = {
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  OUT_OF_RANGE: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  ABORTED: 409,
  ALREADY_EXISTS: 409,
  RESOURCE_EXHAUSTED: 429,
  INTERNAL: 500,
  UNKNOWN: 500,
  UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 504,
};

/**
 * Everything in a response that the API's description does not allow: fields, types and enumeration values, also inside
 * an operation, and an operation whose result contradicts its state, or that has both a response and an error.
 */
export function answerProblems(description: ApiDescription, method: ApiMethod, answer: JsonObject): readonly string[] {
  if (method.response === undefined) return Object.keys(answer).length === 0 ? [] : ["The method has no answer."];
  const isOperation = method.response.$ref === "Operation";
  return [
    ...schemaProblems(description, method.response, answer, "", "answer"),
    ...(isOperation ? operationProblemsOf(description)(answer) : []),
  ];
}

/** Compute Engine has operations of its own kind. */
function operationProblemsOf({ schemas }: ApiDescription): (operation: JsonObject) => readonly string[] {
  return schemas.Operation?.properties?.done === undefined ? stateProblems : operationProblems;
}

function stateProblems({ error, name, status }: JsonObject): string[] {
  return [
    ...(typeof name === "string" && name !== "" ? [] : ["The operation has no name."]),
    ...(error === undefined || status === "DONE" ? [] : [`The operation failed while it is ${String(status)}.`]),
  ];
}

function operationProblems(operation: JsonObject): readonly string[] {
  const { done, error, name, response } = operation;
  const outcomes = [error, response].filter((outcome) => outcome !== undefined).length;
  return [
    ...(typeof name === "string" && name !== "" ? [] : ["The operation has no name."]),
    ...(outcomes === (done === true ? 1 : 0) ? [] : [`The operation has ${outcomes} outcomes, done: ${String(done)}.`]),
  ];
}

/** Everything in an error that the API's description does not allow. */
export function errorProblems(description: ApiDescription, error: ApiError): string[] {
  const { code, details, message, status } = error;
  return [
    ...(error instanceof ReasonError || HTTP_STATUS[status] === code
      ? []
      : [`${status} is not answered with HTTP ${code}.`]),
    ...(message === "" ? ["The error says nothing."] : []),
    ...details.flatMap((detail, index) =>
      isObject(detail)
        ? schemaProblems(
            description,
            { type: "object", additionalProperties: { type: "any" } },
            detail,
            `[${index}]`,
            "answer",
          )
        : [],
    ),
  ];
}
