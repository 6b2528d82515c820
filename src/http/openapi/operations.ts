import type { TSchema } from "@sinclair/typebox";
import type { Components } from "./components.ts";
import { errorsOf } from "./error-responses.ts";
import type { Content, JsonSchema, Operation, Parameter, Response, RouteDetail } from "./openapi.types.ts";
import { operationIdOf } from "./operation-id.ts";

/** A route as Elysia keeps it. */
export interface Route {
  readonly method: string;
  readonly path: string;
  readonly hooks: {
    readonly detail?: RouteDetail;
    readonly tags?: readonly string[];
    readonly body?: unknown;
    readonly query?: unknown;
    readonly headers?: unknown;
    readonly response?: unknown;
  };
}

const parameterName = /:(\w+)/g;

const listHeaders = {
  "x-total-count": { description: "how many items there are in all", schema: { type: "integer" } },
  link: { description: 'the next page, as `<address>; rel="next"` (RFC 8288)', schema: { type: "string" } },
};

function parametersOf({ path, hooks }: Route, components: Components): Parameter[] {
  const ofPath = [...path.matchAll(parameterName)].map(
    ([, name = ""]): Parameter => ({ name, in: "path", required: true, schema: { type: "string" } }),
  );
  return [
    ...ofPath,
    ...fieldsOf("query", hooks.query, components),
    ...fieldsOf("header", hooks.headers, components),
  ];
}

function fieldsOf(place: "query" | "header", schema: unknown, components: Components): Parameter[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = components.toSchema(schema as TSchema); // what routes declare is TypeBox
  return Object.entries(properties).map(([name, { description, ...field }]) => ({
    name,
    in: place,
    // Headers that a contract lists as required and the service does without.
    required: required.includes(name) || field["x-required"] === true,
    ...(description !== undefined && { description }),
    schema: withoutMarks(field),
  }));
}

const withoutMarks = ({ "x-required": _, ...schema }: JsonSchema): JsonSchema => schema;

/** The first example of a schema moves beside it, where readers and tools of the document look for it. */
function contentOf(schema: TSchema, components: Components): Content {
  const [example] = Array.isArray(schema.examples) ? (schema.examples as unknown[]) : [];
  return {
    "application/json": {
      schema: components.toSchema(schema),
      ...(example !== undefined && { example }),
    },
  };
}

function bodyOf({ hooks }: Route, components: Components): Operation["requestBody"] {
  const { detail } = hooks;
  if (detail?.requestBody !== undefined) return { required: true, ...detail.requestBody };
  if (hooks.body === undefined) return undefined;
  const schema = hooks.body as TSchema; // what routes declare is TypeBox
  const fields = schema.required;
  const isOptional = schema.type === "object" && !(Array.isArray(fields) && fields.length > 0);
  return { required: !isOptional, content: contentOf(schema, components) };
}

/** Schemas of the answers by status; a route may declare the one of 200 alone. */
const answersOf = (response: unknown): Record<string, TSchema> =>
  typeof response === "object" && response !== null && !("type" in response)
    ? (response as Record<string, TSchema>)
    : {};

function responsesOf(
  route: Route,
  components: Components,
  errors: Operation["responses"],
): Operation["responses"] {
  const { detail = {}, query } = route.hooks;
  const isPaged = typeof query === "object" && "limit" in ((query as TSchema).properties ?? {});
  const answers = Object.entries(answersOf(route.hooks.response)).map(
    ([status, schema]): [string, Response] => [
      status,
      {
        description: String(schema.description ?? detail.summary ?? ""),
        ...(isPaged && schema.type === "array" && { headers: listHeaders }),
        content: contentOf(schema, components),
      },
    ],
  );
  return { ...errors, ...Object.fromEntries(answers), ...detail.responses };
}

const isList = (answers: Record<string, TSchema>): boolean => answers["200"]?.type === "array";

/** One operation of the document. */
export function operationOf(route: Route, components: Components): Operation {
  const { method, path, hooks } = route;
  const detail = hooks.detail ?? {};
  const parameters = [...parametersOf(route, components), ...(detail.parameters ?? [])];
  const requestBody = bodyOf(route, components);
  const answers = answersOf(hooks.response);
  const errors = errorsOf({
    method,
    path,
    detail,
    hasInput: parameters.some((parameter) => parameter.in === "query"),
    takesBody: requestBody !== undefined,
  });
  return {
    operationId:
      detail.operationId ??
      operationIdOf({ method, path, isList: isList(answers), isCreation: answers["201"] !== undefined }),
    tags: detail.tags ?? hooks.tags ?? [],
    summary: detail.summary ?? "",
    ...(detail.description !== undefined && { description: detail.description }),
    security: detail.security ?? [],
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody !== undefined && { requestBody }),
    responses: responsesOf(route, components, errors),
  };
}
