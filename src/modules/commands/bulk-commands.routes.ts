import { Elysia } from "elysia";
import { omit } from "../../lib/core/omit.ts";
import { bulkResult } from "../api/bulk.schemas.ts";
import { bulkTargets, forEachDevice } from "../api/bulk-responses.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { reduceRequest } from "./command-request.ts";
import { bulkCommandBody } from "./commands.schemas.ts";
import type { CommandsService } from "./commands.service.ts";
import type { CommandRequest } from "./commands.types.ts";

/** Commands created before other work gets its turn. */
const DEVICES_PER_STEP = 25;

const commandOf = ({ body }: AuditContext) => {
  const command = omit(body as CommandRequest & { deviceIds: unknown }, "deviceIds"); // checked by the schema of the route
  return command;
};

/** Creates the route that sends the same command to many devices. */
export const bulkCommandsRoutes = (deps: { commands: CommandsService; auth: AuthPlugin }) =>
  new Elysia({ prefix: "/api/devices/bulk", tags: ["commands"] }).use(deps.auth).post(
    "/commands",
    ({ principal, body }) => {
      const { deviceIds, ...command } = body;
      reduceRequest(command); // an invalid command is refused once, not for each device
      const create = (deviceId: string) => deps.commands.create(principal, deviceId, command, 0);
      return forEachDevice(deviceIds, create, DEVICES_PER_STEP);
    },
    {
      auth: "commands:write",
      exactJson: true,
      audit: { action: "command.create", target: "device", each: bulkTargets, details: commandOf },
      body: bulkCommandBody,
      response: { 200: bulkResult },
      detail: {
        operationId: "createDeviceCommands",
        summary: "Send a command to many devices",
        description:
          "Works like a command to one device. `failed` lists the devices for which no command was created, with the reason. The list of commands of each other device shows what became of its command.",
        example: { deviceIds: ["01996d2e-5a3c-7b10-9c0e-3f1d2a4b5c6d"], method: "reboot" },
      },
    },
  );
