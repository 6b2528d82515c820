import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { JsonValue } from "../../lib/json/json.ts";
import type { Text } from "../../lib/texts/text.ts";

export const COMMAND_STATES = [
  "QUEUED",
  "SENT",
  "DELIVERED",
  "SUCCESSFUL",
  "FAILED",
  "TIMEOUT",
  "EXPIRED",
] as const;

/**
 * QUEUED: waiting for the device. SENT: handed to its connection. DELIVERED: the device acknowledged the message. SUCCESSFUL: response received.
 * FAILED: response with an error. TIMEOUT: no response. EXPIRED: never reached the device. A late response still counts.
 */
export type CommandState = (typeof COMMAND_STATES)[number];

export interface CommandFilter {
  readonly status?: CommandState | undefined;
  /** Part of the method. */
  readonly search?: string | undefined;
  /** Earliest and latest time of creation, epoch ms. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export interface Command {
  /** Id of the command on the device. */
  readonly rpcId: number;
  readonly commandId: string;
  readonly tenantId: TenantId;
  readonly deviceId: DeviceId;
  readonly requestId: string;
  readonly method: string;
  readonly params: JsonValue;
  readonly status: CommandState;
  /** Number of times it was sent. */
  readonly attempts: number;
  /** Max. number of repetitions. */
  readonly retries: number;
  readonly retryIntervalMs: number;
  /** Time in which the device must respond, in ms. */
  readonly timeoutMs: number;
  /** Email address, or name of the key. */
  readonly createdBy: string;
  /** Epoch ms, like all times here. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly sentAt: number | null;
  readonly deliveredAt: number | null;
  readonly finishedAt: number | null;
  readonly dueAt: number | null;
  readonly response: JsonValue | null;
  /** Reason for the failure. */
  readonly error: Text | null;
}

/** Response made by the gateway instead of the device, because the command failed. */
export class CommandFailure {
  readonly reason: Text;
  readonly response: JsonValue;

  constructor(reason: Text, response: JsonValue = null) {
    this.reason = { code: reason.code, params: reason.params };
    this.response = response;
  }
}

/** End of a command: a device's response, or a failure noticed by the gateway. */
export type CommandResponse = JsonValue | CommandFailure;

export type NewCommand = Pick<
  Command,
  | "commandId"
  | "tenantId"
  | "deviceId"
  | "method"
  | "params"
  | "retries"
  | "retryIntervalMs"
  | "timeoutMs"
  | "createdBy"
  | "createdAt"
  | "expiresAt"
> & { readonly requestId: string | undefined };

export type CommandChanges = Partial<
  Pick<
    Command,
    "status" | "attempts" | "sentAt" | "deliveredAt" | "finishedAt" | "dueAt" | "response" | "error"
  >
>;

/** Request for a command in one of several forms, see command-request.ts. */
export interface CommandRequest {
  readonly command?: unknown;
  readonly method?: string;
  readonly params?: unknown;
  readonly key?: string;
  readonly value?: unknown;
  readonly channel?: number;
  readonly state?: number;
  readonly type?: string;
  readonly retries?: number;
  readonly retryIntervalMs?: number;
  readonly requestId?: string;
  /** Max. time in ms that the command waits for the device; default a day. */
  readonly expiresInMs?: number;
}

/** Transport to connected devices. */
export interface CommandTransport {
  /**
   * Sends the command. Returns false if the device does not listen, `kept` if the message is kept for the device, which may last as long as the
   * command.
   */
  send(command: Command): boolean | "kept";
  /** Returns whether the device already has the state that the command sets, if the transport knows; `undefined` for other devices. */
  has?(command: Command): boolean | undefined;
  /** Returns whether undelivered messages wait in the device's own session and are sent when it reconnects. */
  keepsFor(deviceId: DeviceId): boolean;
}

/** Transport to children through the connection of their gateway. */
export interface CommandRelay {
  gatewayOf(deviceId: DeviceId): DeviceId | undefined;
  /** Sends the command to the device's gateway. Returns false if the gateway does not listen, or has reported the device as disconnected. */
  send(command: Command): boolean;
  /** Returns whether undelivered messages wait in the gateway's own session and are sent when it reconnects. */
  keepsFor(gatewayId: DeviceId): boolean;
}
