import type { TSchema } from "@sinclair/typebox";
import { invariant } from "../../lib/core/invariant.ts";
import { ATTRIBUTE_SCOPES } from "../../modules/attributes/attributes.types.ts";
import type { Components } from "./components.ts";
import { errorsOf } from "./error-responses.ts";
import type { Content, Operation, Parameter, Response, RouteDetail } from "./openapi.types.ts";

/** Descriptions of path parameters by name. */

const identified = {
  deviceId: "a device",
  integrationId: "an integration",
  jobId: "a job of the scheduler",
  pipelineId: "a data pipeline",
  dashboardId: "a dashboard",
  profileId: "a device profile",
  userId: "a user",
  alarmId: "an alarm",
  messengerId: "a messenger",
  generatorId: "a generator",
  uplinkId: "an uplink",
  mqttClientId: "an MQTT client",
  connectionId: "a Modbus connection",
  modbusUnitId: "a unit of a Modbus connection",
  s7ConnectionId: "an S7 connection",
  s7UnitId: "a unit of an S7 connection",
  bacnetConnectionId: "a BACnet connection",
  bacnetUnitId: "a unit of a BACnet connection",
  opcuaConnectionId: "an OPC UA connection",
  opcuaUnitId: "a unit of an OPC UA connection",
  deliveryId: "a delivery of a webhook",
  codecId: "a codec",
  entryId: "a device of the codec index",
  apiKeyId: "an API key",
  mailId: "a mail of the outbox",
  runId: "a run of a job",
  eventId: "an event of an integration",
  sessionId: "a session of a user",
  auditId: "an entry of the audit log",
  commandId: "a command",
  shareId: "a link to a dashboard",
  snapshotId: "a backup",
};

const pathParameters: Readonly<Record<string, Partial<Pick<Parameter, "description" | "schema">>>> = {
  ...Object.fromEntries(
    Object.entries(identified).map(([name, subject]) => [name, { description: `id of ${subject}` }]),
  ),
  deviceToken: { description: "access token of the device" },
  rpcId: {
    description: "id of the command, as the device got it",
    schema: { type: "string", pattern: "^\\d{1,15}$" },
  },
  key: { description: "name of the attribute" },
  scope: { description: "scope of the attribute", schema: { type: "string", enum: ATTRIBUTE_SCOPES } },
  deviceType: { description: "type of devices" },
};

/** Route in Elysia. */
export interface Route {
  readonly method: string;
  readonly path: string;
  readonly hooks: {
    readonly detail?: RouteDetail;
    readonly tags?: readonly string[];
    readonly body?: unknown;
    readonly query?: unknown;
    readonly response?: unknown;
  };
}

const PARAMETER_NAME = /:(\w+)/g;

const listHeaders = {
  "x-total-count": { description: "total number of items", schema: { type: "integer" } },
  link: { description: 'the next page, as `<address>; rel="next"` (RFC 8288)', schema: { type: "string" } },
};

function parametersOf({ path, hooks }: Route, components: Components): Parameter[] {
  const ofPath = [...path.matchAll(PARAMETER_NAME)].map(
    ([, name = ""]): Parameter => ({
      name,
      in: "path",
      required: true,
      schema: { type: "string" },
      ...pathParameters[name],
    }),
  );
  return [...ofPath, ...queryFieldsOf(hooks.query, components)];
}

function queryFieldsOf(schema: unknown, components: Components): Parameter[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = components.toSchema(schema as TSchema); // what routes declare is TypeBox
  return Object.entries(properties).map(([name, { description, ...field }]) => ({
    name,
    in: "query",
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema: field,
  }));
}

/** Examples of responses by operation and status. */
export type ResponseExamples = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Context for building one operation. */
interface Making {
  readonly components: Components;
  readonly operationId: string;
}

const pascal = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns a schema as JSON content. An object without a title is named after its operation. */
function contentOf(
  response: TSchema,
  role: "Request" | "Response",
  { components, operationId }: Making,
): Content {
  const isNamed = response.title !== undefined || response.type !== "object";
  const schema = isNamed ? response : { ...response, title: `${pascal(operationId)}${role}` };
  return { "application/json": { schema: components.toSchema(schema) } };
}

/** Adds the example beside the schema, where readers and tools expect it. */
function withExample(content: Content, { example: ofRoute }: RouteDetail): Content {
  const json = content["application/json"];
  const example = json?.example ?? ofRoute;
  return json === undefined || example === undefined
    ? content
    : { ...content, "application/json": { ...json, example } };
}

function bodyOf({ hooks }: Route, making: Making): Operation["requestBody"] {
  const { detail = {} } = hooks;
  if (detail.requestBody !== undefined)
    return {
      required: true,
      ...detail.requestBody,
      content: withExample(detail.requestBody.content, detail),
    };
  if (hooks.body === undefined) return undefined;
  const schema = hooks.body as TSchema; // what routes declare is TypeBox
  const fields = schema.required;
  const isOptional = schema.type === "object" && !(Array.isArray(fields) && fields.length > 0);
  return {
    required: !isOptional,
    content: withExample(contentOf(schema, "Request", making), detail),
  };
}

/** Returns the schemas of the responses by status. */
const responsesOf = (response: unknown): Record<string, TSchema> =>
  typeof response === "object" && response !== null ? (response as Record<string, TSchema>) : {};

function successesOf({ hooks }: Route, making: Making): Operation["responses"] {
  const { detail = {}, query } = hooks;
  const isPaged = typeof query === "object" && "limit" in ((query as TSchema).properties ?? {});
  const successes = Object.entries(responsesOf(hooks.response)).filter(([status]) => Number(status) < 400);
  const responses = successes.map(([status, schema]): [string, Response] => [
    status,
    {
      description: String(schema.description ?? detail.summary ?? ""),
      ...(isPaged && schema.type === "array" && { headers: listHeaders }),
      content: contentOf(schema, "Response", making),
    },
  ]);
  return Object.fromEntries(responses);
}

/** Adds examples to responses. */
const withResponses = (
  responses: Operation["responses"],
  examples: Readonly<Record<string, unknown>>,
): Operation["responses"] =>
  Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      "content" in response && response.content !== undefined
        ? { ...response, content: withExample(response.content, { example: examples[status] }) }
        : response,
    ]),
  );

/** Adds the meanings of errors to responses that a route describes itself, such as pages. */
const withMeanings = (
  responses: Operation["responses"] = {},
  errors: Readonly<Record<string, string>> = {},
): Operation["responses"] =>
  Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const meaning = errors[status];
      const description = `${meaning} ${response.description}`;
      return [status, meaning === undefined ? response : { ...response, description }];
    }),
  );

/** Returns own extensions, such as the required permission (`x-permission`). */
const extensionsOf = (detail: RouteDetail): object =>
  Object.fromEntries(Object.entries(detail).filter(([name]) => name.startsWith("x-")));

/**
 * Builds one operation of the document from the result of the plug-in and the schemas of its route, which the plug-in repeats for three media types
 * without titles and additional fields.
 */
export function operationOf(
  detail: RouteDetail,
  route: Route,
  components: Components,
  examples: ResponseExamples,
): Operation {
  const { method, path } = route;
  const { operationId, summary = "", description, tags = [], security = [] } = detail;
  // If a route has none, the plug-in derives it from the path.
  invariant(
    operationId !== undefined && route.hooks.detail?.operationId === operationId,
    `${method} ${path} has an operationId`,
  );
  const making = { components, operationId };
  const { parameters: ofDetail = [], responses } = route.hooks.detail ?? {};
  const parameters = [...parametersOf(route, components), ...ofDetail];
  const requestBody = bodyOf(route, making);
  const errors = errorsOf({
    method,
    path,
    detail,
    hasInput: parameters.some((parameter) => parameter.in === "query"),
    // By contract, webhooks return 400 for an unsupported content type.
    takesBody: requestBody !== undefined && !path.startsWith("/api/v1/integrations/"),
  });
  return {
    operationId,
    tags,
    summary,
    ...(description !== undefined && { description }),
    security,
    ...extensionsOf(detail),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody !== undefined && { requestBody }),
    responses: {
      ...errors,
      ...withResponses(
        { ...successesOf(route, making), ...withMeanings(responses, detail.errors) },
        examples[operationId] ?? {},
      ),
    },
  };
}
