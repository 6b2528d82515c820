import type { commandDetail, createCommandBody } from "../../../modules/commands/commands.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { call, post, queryOf } from "../../platform/api-client.ts";

export type DeviceCommand = Wire<typeof commandDetail>;
export type CommandState = DeviceCommand["status"];
/** A method with its parameters, or a key of the device with its value. */
export type NewCommand = Wire<typeof createCommandBody>;

const path = (deviceId: string) => `/api/devices/${encodeURIComponent(deviceId)}/commands`;

export const commandsApi = {
  /** The newest first. */
  async list(deviceId: string, limit: number): Promise<{ rows: readonly DeviceCommand[]; total: number }> {
    const answer = await call<DeviceCommand[]>("GET", `${path(deviceId)}?${queryOf({ limit })}`);
    return { rows: answer.body, total: answer.total ?? answer.body.length };
  },
  send: (deviceId: string, command: NewCommand) => post<{ commandId: string }>(path(deviceId), command),
};
