import { limited } from "../../lib/domain-error.ts";
import type { DeviceId } from "../../lib/ids.ts";
import { newId } from "../../platform/ids.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { ProfilesService } from "../profiles/profiles.service.ts";
import type { Principal } from "../users/users.types.ts";
import { type CommandEngine, QUEUED_MAX } from "./command-engine.ts";
import { reduceRequest, toCommandJson } from "./command-request.ts";
import { commandNotFound, requestIdTaken } from "./commands.errors.ts";
import type { CommandsRepository } from "./commands.repository.ts";
import type { Command, CommandFilter, CommandRequest } from "./commands.types.ts";

const DAY_MS = 86_400_000;

export interface CommandAnswer {
  readonly requestId?: string;
  readonly success?: boolean;
  readonly message?: string;
  readonly [field: string]: unknown;
}

const tooMany = () => limited("command.too_many", 60, { max: QUEUED_MAX });

/** Commands to devices as people and programs give them. A device that the caller may not see does not exist. */
export function createCommandsService(deps: {
  repository: CommandsRepository;
  engine: CommandEngine;
  devices: Pick<DevicesService, "get" | "ensureVisible">;
  profiles: Pick<ProfilesService, "ensure">;
  now: () => number;
}) {
  const { repository, engine, devices, profiles, now } = deps;

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
      const device = devices.get(principal, deviceId);
      const { method, params } = reduceRequest(request);
      if (repository.count(device.deviceId, { status: "QUEUED" }) >= QUEUED_MAX) throw tooMany();
      const { commandTimeoutMs } = profiles.ensure(device.tenantId, device.profileId);
      const createdAt = now();
      const command = repository.create({
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
      });
      if (command === undefined) throw requestIdTaken();
      const submitted = engine.submitted(command);
      return waitMs === 0 ? submitted : engine.finished(submitted, waitMs);
    },
    get: (principal: Principal, deviceId: string, commandId: string): Command =>
      find(devices.ensureVisible(principal, deviceId), commandId),
    list(
      principal: Principal,
      deviceId: string,
      page: CommandFilter & { limit: number; offset: number },
    ): { items: Command[]; total: number } {
      const id = devices.ensureVisible(principal, deviceId);
      return { items: repository.list(id, page), total: repository.count(id, page) };
    },
    /** Plays the device's answer to the named command, or to the newest that is not finished. */
    testAnswer(principal: Principal, deviceId: string, { requestId, ...answer }: CommandAnswer): Command {
      const id = devices.ensureVisible(principal, deviceId);
      const unfinished = (["QUEUED", "SENT", "DELIVERED"] as const).flatMap((status) =>
        repository.list(id, { limit: 1, offset: 0, status }),
      );
      const newest = unfinished.sort((a, b) => b.rpcId - a.rpcId)[0];
      const command = requestId === undefined ? newest : repository.findByRequestId(id, requestId);
      if (command === undefined) throw commandNotFound();
      engine.played(command, toCommandJson(answer, "answer"));
      return find(id, command.commandId);
    },
  };
}

export type CommandsService = ReturnType<typeof createCommandsService>;
