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
 * QUEUED: waits for the device. SENT: handed to its connection. DELIVERED: the device has acknowledged the message. Then it answers
 * (SUCCESSFUL, or FAILED with an error) or does not (TIMEOUT); EXPIRED never reached the device. A late answer still counts.
 */
export type CommandState = (typeof COMMAND_STATES)[number];

export interface CommandFilter {
  readonly status?: CommandState | undefined;
  /** Part of the method. */
  readonly search?: string | undefined;
  /** Creation times of the first and the last one, epoch ms. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export interface Command {
  /** Id by which the device knows the command. */
  readonly rpcId: number;
  readonly commandId: string;
  readonly tenantId: TenantId;
  readonly deviceId: DeviceId;
  readonly requestId: string;
  readonly method: string;
  readonly params: JsonValue;
  readonly status: CommandState;
  /** Number of times that it has been sent. */
  readonly attempts: number;
  /** Number of times that it may be sent again. */
  readonly retries: number;
  readonly retryIntervalMs: number;
  /** Time for which the device may take to answer. */
  readonly timeoutMs: number;
  /** Email address or name of the key. */
  readonly createdBy: string;
  /** Epoch ms, as all times here. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly sentAt: number | null;
  readonly deliveredAt: number | null;
  readonly finishedAt: number | null;
  readonly dueAt: number | null;
  readonly response: JsonValue | null;
  /** Reason why it failed. */
  readonly error: Text | null;
}

/** A response that the gateway makes instead of the device, because the command failed. */
export class CommandFailure {
  readonly reason: Text;
  readonly response: JsonValue;

  constructor(reason: Text, response: JsonValue = null) {
    this.reason = { code: reason.code, params: reason.params };
    this.response = response;
  }
}

/** What ends a command: a device's response, or a failure that the gateway noticed. */
export type CommandAnswer = JsonValue | CommandFailure;

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

/** A command as it is asked for: one of several forms, see command-request.ts. */
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
  /** Time for which it may wait for the device; a day unless given. */
  readonly expiresInMs?: number;
}

/** A way to a device that is there now. */
export interface CommandTransport {
  /**
   * Hands the command over; false when the device does not listen. `kept`: something else keeps it for the device now, which may
   * take as long as the command lives.
   */
  send(command: Command): boolean | "kept";
  /** Whether the device has what the command sets, for a transport that knows; `undefined` for a device that is none of its own. */
  has?(command: Command): boolean | undefined;
  /** Undelivered messages of the device wait in a session of its own, and go out again when it returns. */
  keepsFor(deviceId: DeviceId): boolean;
}

/** The way to a child: through the connection of its gateway. */
export interface CommandRelay {
  gatewayOf(deviceId: DeviceId): DeviceId | undefined;
  /** Hands the command to the device's gateway; false when that does not listen, or has said good-bye for the device. */
  send(command: Command): boolean;
  /** Undelivered messages of the gateway wait in a session of its own, and go out again when it returns. */
  keepsFor(gatewayId: DeviceId): boolean;
}
