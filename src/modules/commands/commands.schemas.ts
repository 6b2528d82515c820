import { t } from "elysia";
import { inEnglish } from "../../lib/core/domain-error.ts";
import { iso } from "../../lib/time/iso-time.ts";
import { bulkDeviceIds } from "../api/bulk.schemas.ts";
import { documentedAs } from "../api/documented-as.ts";
import { isoTime, isoTimeOrNull, jsonValue, textSchema, wholeNumber } from "../api/wire.schemas.ts";
import type { Command } from "./commands.types.ts";

const TEXT_MAX = 256;
const INTERVAL_MS_MAX = 86_400_000;

/** What a short form of a command names. */
export const shortCommandFields = {
  type: t.Optional(t.String({ maxLength: TEXT_MAX })),
  channel: t.Optional(t.Number()),
  state: t.Optional(t.Number()),
  key: t.Optional(t.String({ minLength: 1, maxLength: TEXT_MAX })),
};

// Not a UnionEnum, whose default is its first value.
export const commandState = t.Union([
  t.Literal("QUEUED"),
  t.Literal("SENT"),
  t.Literal("DELIVERED"),
  t.Literal("SUCCESSFUL"),
  t.Literal("FAILED"),
  t.Literal("TIMEOUT"),
  t.Literal("EXPIRED"),
]);

/** Method and parameters in a separate object. */
export const commandFormBody = documentedAs(
  t.Object(
    { method: t.Optional(t.String()), params: t.Optional(jsonValue()) },
    { title: "CommandForm", description: "parameters of a command without a method" },
  ),
);

/** Several forms in one object, distinguished by field names; see `reduceRequest`. */
export const createCommandBody = t.Object(
  {
    ...shortCommandFields,
    value: t.Optional(jsonValue("value for `key`: a number, or any JSON value")),
    retries: t.Optional(t.Integer({ minimum: 0, maximum: 100, description: "0 by default" })),
    retryIntervalMs: t.Optional(
      t.Integer({
        minimum: 100,
        maximum: INTERVAL_MS_MAX,
        description: "the profile's commandTimeoutMs by default",
      }),
    ),
    method: t.Optional(t.String({ minLength: 1, maxLength: TEXT_MAX })),
    params: t.Optional(jsonValue()),
    requestId: t.Optional(t.String({ minLength: 1, maxLength: TEXT_MAX })),
    // Not an Object, whose check would remove properties.
    command: t.Optional(commandFormBody),
    expiresInMs: t.Optional(
      t.Integer({ minimum: 1, maximum: 30 * INTERVAL_MS_MAX, description: "a day by default" }),
    ),
  },
  { title: "CreateCommand" },
);

export const bulkCommandBody = t.Object(
  { deviceIds: bulkDeviceIds, ...createCommandBody.properties },
  { title: "CreateCommands" },
);

export const commandResult = t.Object(
  {
    success: t.Boolean(),
    commandId: t.String(),
    requestId: t.String(),
    status: commandState,
    response: t.Optional(jsonValue("what the device answered")),
    error: t.Optional(t.String({ description: "reason of a failure" })),
    errorText: t.Optional(textSchema),
  },
  { title: "CommandResult" },
);

export const commandDetail = t.Object(
  {
    commandId: t.String(),
    requestId: t.String(),
    rpcId: wholeNumber({ description: "number of the command at the device" }),
    deviceId: t.String(),
    method: t.String(),
    params: jsonValue(),
    status: commandState,
    attempts: wholeNumber(),
    retries: wholeNumber(),
    retryIntervalMs: wholeNumber(),
    createdBy: t.String(),
    createdAt: isoTime,
    expiresAt: isoTime,
    sentAt: isoTimeOrNull,
    deliveredAt: isoTimeOrNull,
    finishedAt: isoTimeOrNull,
    response: jsonValue("null until there is one"),
    error: t.Union([t.String(), t.Null()], { description: "reason of a failure" }),
    errorText: t.Union([textSchema, t.Null()], { description: "code and parameters of the error" }),
  },
  { title: "Command" },
);

export const testAckBody = t.Object(
  {
    requestId: t.Optional(t.String({ minLength: 1, maxLength: TEXT_MAX })),
    channel: t.Optional(t.Number()),
    state: t.Optional(t.Number()),
    key: t.Optional(t.String()),
    value: t.Optional(jsonValue()),
    success: t.Optional(t.Boolean()),
    message: t.Optional(t.String()),
    ts: t.Optional(t.Number()),
  },
  { title: "TestAck" },
);

export const toResult = ({ commandId, requestId, status, response, error }: Command) => ({
  success: status !== "FAILED" && status !== "TIMEOUT" && status !== "EXPIRED",
  commandId,
  requestId,
  status,
  ...(response !== null && { response }),
  ...(error !== null && { error: inEnglish(error), errorText: error }),
});

export const toDetail = (command: Command) => ({
  commandId: command.commandId,
  requestId: command.requestId,
  rpcId: command.rpcId,
  deviceId: command.deviceId,
  method: command.method,
  params: command.params,
  status: command.status,
  attempts: command.attempts,
  retries: command.retries,
  retryIntervalMs: command.retryIntervalMs,
  createdBy: command.createdBy,
  createdAt: iso(command.createdAt),
  expiresAt: iso(command.expiresAt),
  sentAt: iso(command.sentAt),
  deliveredAt: iso(command.deliveredAt),
  finishedAt: iso(command.finishedAt),
  response: command.response,
  error: command.error === null ? null : inEnglish(command.error),
  errorText: command.error,
});
