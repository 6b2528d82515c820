import type { commandDetail, createCommandBody } from "../../../modules/commands/commands.schemas.ts";
import type { commandDefinitionSchema } from "../../../modules/profiles/command-definitions.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { getPage, post } from "../../platform/api-client.ts";

export type DeviceCommand = Wire<typeof commandDetail>;
/** Command in a device profile. */
export type CommandDefinition = Wire<typeof commandDefinitionSchema>;
export type CommandParameter = NonNullable<CommandDefinition["params"]>[number];
export type CommandState = DeviceCommand["status"];
/** A method with its parameters, or a key of the device with its value. */
export type NewCommand = Wire<typeof createCommandBody>;

const path = (deviceId: string) => `/api/devices/${encodeURIComponent(deviceId)}/commands`;

export const commandsApi = {
  /** Newest first. */
  list: (deviceId: string, limit: number, range: { from?: number; to?: number } = {}) =>
    getPage<DeviceCommand>(path(deviceId), { limit, ...range }),
  send: (deviceId: string, command: NewCommand) => post<{ commandId: string }>(path(deviceId), command),
};
