import type { JsonValue } from "../../lib/api-types.ts";
import { call, post, queryOf } from "../../platform/api-client.ts";

export type CommandState = "QUEUED" | "SENT" | "DELIVERED" | "SUCCESSFUL" | "FAILED" | "TIMEOUT" | "EXPIRED";

export interface DeviceCommand {
  readonly commandId: string;
  readonly method: string;
  readonly params: JsonValue;
  readonly status: CommandState;
  readonly attempts: number;
  readonly createdBy: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly finishedAt: string | null;
  readonly response: JsonValue;
  readonly error: string | null;
}

export interface CommandForm {
  readonly method: string;
  readonly params: unknown;
  readonly retries?: number;
}

/** Sets one key of the device; the server makes the command from it. */
export interface KeyCommand {
  readonly key: string;
  readonly value: unknown;
}

const path = (deviceId: string) => `/api/devices/${encodeURIComponent(deviceId)}/commands`;

export const commandsApi = {
  /** The newest first. */
  async list(deviceId: string, limit: number): Promise<{ rows: readonly DeviceCommand[]; total: number }> {
    const answer = await call<DeviceCommand[]>("GET", `${path(deviceId)}?${queryOf({ limit })}`);
    return { rows: answer.body, total: answer.total ?? answer.body.length };
  },
  send: (deviceId: string, form: CommandForm | KeyCommand) =>
    post<{ commandId: string }>(path(deviceId), form),
};
