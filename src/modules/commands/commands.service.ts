import type { DeviceId } from "../../lib/core/ids.ts";
import { DAY_MS } from "../../lib/core/units.ts";
import { newId } from "../../platform/core/ids.ts";
import type { RowPage } from "../../platform/database/row-list.ts";
import type { DeviceDirectory } from "../devices/device-directory.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { Principal } from "../users/users.types.ts";
import type { CommandEngine } from "./command-engine.ts";
import { reduceRequest, toCommandJson } from "./command-request.ts";
import { commandNotFound } from "./commands.errors.ts";
import type { CommandsRepository } from "./commands.repository.ts";
import type { Command, CommandFilter, CommandRequest } from "./commands.types.ts";

export interface CommandResponse {
  readonly requestId?: string;
  readonly success?: boolean;
  readonly message?: string;
  readonly [field: string]: unknown;
}

/** Creates the service through which users and programs send commands. Devices that the caller may not see yield `not_found`. */
export function createCommandsService(deps: {
  repository: CommandsRepository;
  engine: CommandEngine;
  devices: Pick<DevicesService, "ensureVisible">;
  directory: Pick<DeviceDirectory, "ensureVisible">;
  now: () => number;
}) {
  const { repository, engine, devices, directory, now } = deps;

  function find(deviceId: DeviceId, commandId: string): Command {
    const command = repository.find(commandId);
    if (command?.deviceId !== deviceId) throw commandNotFound();
    return command;
  }

  return {
    /** Resolves when the command is finished, or after `waitMs`. */
    async create(
      principal: Principal,
      deviceId: string,
      request: CommandRequest,
      waitMs: number,
    ): Promise<Command> {
      const device = directory.ensureVisible(principal, deviceId);
      const { method, params } = reduceRequest(request);
      const { commandTimeoutMs = 0 } = device;
      const createdAt = now();
      const command = {
        commandId: newId(),
        tenantId: device.tenantId,
        deviceId: device.deviceId,
        requestId: request.requestId,
        method,
        params,
        retries: request.retries ?? 0,
        retryIntervalMs: request.retryIntervalMs ?? commandTimeoutMs,
        timeoutMs: commandTimeoutMs,
        createdBy: principal.apiKey?.name ?? principal.email,
        createdAt,
        expiresAt: createdAt + (request.expiresInMs ?? DAY_MS),
      };
      return engine.create(command, waitMs);
    },
    get: (principal: Principal, deviceId: string, commandId: string): Command =>
      find(devices.ensureVisible(principal, deviceId), commandId),
    list(
      principal: Principal,
      deviceId: string,
      page: CommandFilter & { limit: number; offset: number },
    ): RowPage<Command> {
      return repository.list(devices.ensureVisible(principal, deviceId), page);
    },
    /** Simulates the device's response to the named command, or to the newest unfinished one. */
    async testResponse(principal: Principal, deviceId: string, body: CommandResponse): Promise<Command> {
      const { requestId, ...response } = body;
      const id = devices.ensureVisible(principal, deviceId);
      const unfinished = (["QUEUED", "SENT", "DELIVERED"] as const).flatMap(
        (status) => repository.newest(id, status) ?? [],
      );
      const newest = unfinished.sort((a, b) => b.rpcId - a.rpcId)[0];
      const command = requestId === undefined ? newest : repository.findByRequestId(id, requestId);
      if (command === undefined) throw commandNotFound();
      engine.played(command, toCommandJson(response, "response"));
      await engine.committed();
      return find(id, command.commandId);
    },
  };
}

export type CommandsService = ReturnType<typeof createCommandsService>;
