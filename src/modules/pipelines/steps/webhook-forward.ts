import { Type } from "@sinclair/typebox";
import { invalid } from "../../../lib/core/domain-error.ts";
import { headerProblem, urlProblem } from "../../../lib/network/outbound-request.ts";
import type { TelemetryValue } from "../../telemetry/telemetry.types.ts";
import { defineStep } from "../define-step.ts";
import type { StepContext, StepTarget } from "../step.types.ts";
import { webhookRoom } from "../webhook-room.ts";

const URL_CHARACTERS_MAX = 2_048;
const HEADERS_MAX = 30;
const HEADER_CHARACTERS_MAX = 4_096;
const SECRET_CHARACTERS_MAX = 256;
const TIMEOUT_MS = 10_000;
const BODY_BYTES_MAX = 1024 * 1024;

const secretText = (description: string) =>
  Type.Union(
    [
      Type.String({ minLength: 1, maxLength: SECRET_CHARACTERS_MAX }),
      Type.Object({ sealed: Type.String() }, { additionalProperties: false }),
    ],
    { description },
  );

function checkUrl(text: string): void {
  const problem = urlProblem(text);
  if (problem !== undefined) throw invalid("step.url_invalid", { rule: problem });
}

function checkHeaders(headers: Readonly<Record<string, string | { sealed: string }>>): void {
  const entries = Object.entries(headers);
  if (entries.length > HEADERS_MAX) throw invalid("step.too_many_headers", { max: HEADERS_MAX });
  for (const [name, value] of entries) {
    const problem = headerProblem(name, value);
    if (problem !== undefined) throw invalid("step.headers_invalid", { rule: problem });
  }
}

function bodyOf(
  ts: number,
  values: ReadonlyMap<string, TelemetryValue>,
  context: StepContext | undefined,
): string {
  const telemetry: Record<string, TelemetryValue> = Object.create(null);
  for (const [key, value] of values) telemetry[key] = value;
  const { deviceId, tenantId, profileId } = context ?? {};
  const body = JSON.stringify({ ts, deviceId, tenantId, profileId, telemetry });
  if (Buffer.byteLength(body) > BODY_BYTES_MAX)
    throw invalid("step_failure.body_too_large", { max: BODY_BYTES_MAX });
  return body;
}

/** Returns the target of a step with these fields. @throws DomainError `invalid` */
export function webhookTarget(fields: {
  url: string;
  method?: string;
  headers?: StepTarget["headers"];
  timeoutMs?: number;
  secret?: string | { sealed: string };
  sealedUrl?: { sealed: string };
}): StepTarget {
  const { url, sealedUrl, method = "POST", headers = {}, timeoutMs = TIMEOUT_MS, secret = null } = fields;
  checkUrl(url);
  checkHeaders(headers);
  return Object.freeze({ url, sealedUrl, method, headers, timeoutMs, secret });
}

export const webhookForward = defineStep({
  type: "webhook_forward",
  summary:
    "Posts the message, as it is at this step, to another program: at least once, in order per device, with retries for 24 hours. The message itself goes on unchanged.",
  fields: Type.Object({
    url: Type.String({
      minLength: 1,
      maxLength: URL_CHARACTERS_MAX,
      description:
        "http or https address. Secrets in its query, such as the value of `token` or `sig`, are stored sealed and never shown again; sending back their placeholder, such as `token=kept-…`, keeps the secret",
    }),
    sealedUrl: Type.Optional(Type.Object({ sealed: Type.String() }, { additionalProperties: false })),
    method: Type.Optional(
      Type.Union([Type.Literal("POST"), Type.Literal("PUT"), Type.Literal("PATCH")], {
        description: "POST by default",
      }),
    ),
    headers: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Union([
          Type.String({ maxLength: HEADER_CHARACTERS_MAX }),
          Type.Object({ sealed: Type.String() }, { additionalProperties: false }),
        ]),
        {
          description:
            "name to value; values of those like Authorization, Cookie or X-Api-Key are kept sealed and never shown again",
        },
      ),
    ),
    includeContext: Type.Optional(
      Type.Boolean({ description: "deviceId, tenantId and profileId in the body; true by default" }),
    ),
    timeoutMs: Type.Optional(
      Type.Integer({
        minimum: 100,
        maximum: 60_000,
        description: `for one attempt, in ms; ${TIMEOUT_MS} unless given`,
      }),
    ),
    secret: Type.Optional(
      secretText(
        "signs each request (X-Lineside-Signature), so that the receiver can tell ours; never shown again",
      ),
    ),
  }),
  example: {
    step: {
      type: "webhook_forward",
      url: "https://erp.example/readings",
      secret: "shared with the receiver",
    },
    in: { temperature: 21.5 },
    out: { temperature: 21.5 },
  },
  compile(fields) {
    const { includeContext = true } = fields;
    const target = webhookTarget(fields);
    return (message, context) => {
      const { ts, values } = message;
      if (values.size === 0) return true;
      const body = webhookRoom.isFull ? undefined : bodyOf(ts, values, includeContext ? context : undefined);
      if (body === undefined || !webhookRoom.take(body.length)) {
        message.webhooksLeftOut = (message.webhooksLeftOut ?? 0) + 1;
        return true;
      }
      message.outgoing ??= [];
      message.outgoing.push({ target, body });
      return true;
    };
  },
});
