import { conflict, DomainError, detail, invalid, limited, notFound } from "../../lib/core/domain-error.ts";
import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import { DAY_MS } from "../../lib/core/units.ts";
import { parseDevEui } from "../../lib/devices/dev-eui.ts";
import { type DownlinkPayload, isFPort, payloadOf } from "../../lib/devices/downlink-payload.ts";
import { isJsonObject, type JsonValue } from "../../lib/json/json.ts";
import { newId } from "../../platform/core/ids.ts";
import type { RowPage } from "../../platform/database/row-list.ts";
import type { Load } from "../../platform/delivery-queue/delivery-lanes.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import type { Command } from "../commands/commands.types.ts";
import type { Integration } from "../integrations/integrations.resource.ts";
import { ensureAllDevices } from "../tenants/tenants.errors.ts";
import type { Principal } from "../users/users.types.ts";
import type { DownlinkAttempt, ReadyIntegration } from "./downlink-attempt.ts";
import { type DownlinkDelivery, targetOf } from "./downlink-delivery.ts";
import { type DownlinkLifecycle, FAILED_PER_STEP } from "./downlink-lifecycle.ts";
import type { DownlinkWays } from "./downlink-ways.ts";
import { bytesOf, type DownlinksRepository, SPACE_BYTES, SPACE_MIB } from "./downlinks.repository.ts";
import type { Downlink, DownlinkRequest, DownlinkState, NewDownlink } from "./downlinks.types.ts";

const QUEUED_PER_DEVICE_MAX = 100;
const QUEUED_MAX = 10_000;
/** Share of each limit that commands may use: commands wait for room, but other downlinks would be refused. */
const COMMANDS_SHARE = 0.9;
const BEHIND_OTHERS_MS = 200;

interface CommandDownlink {
  readonly payload: DownlinkPayload;
  readonly fPort: number | null;
  readonly confirmed: boolean | undefined;
  readonly priority: string | null;
}

/** Returns the input of a codec for a command that only names a key and its value. */
function objectOf(method: string, params: JsonValue): JsonValue {
  if (!isJsonObject(params)) return { [method]: params as JsonValue }; // a value, as JSON has them
  if (method === "setValue" && typeof params.key === "string" && "value" in params)
    return { [params.key]: params.value as JsonValue };
  return Object.keys(params).length === 0 ? { command: method } : (params as JsonValue);
}

/**
 * Converts a device's command to a downlink: `params` with `data`, `hex` or `object` define the frame (with optional `fPort`, `confirmed`,
 * `priority`); any other `params` are an object for the codec.
 * @throws DomainError `invalid`
 */
function downlinkOfCommand(method: string, params: JsonValue): CommandDownlink {
  const input: Record<string, unknown> = isJsonObject(params) ? params : {};
  const { fPort, confirmed, priority, data, hex, object } = input;
  const isFrame = typeof data === "string" || typeof hex === "string" || isJsonObject(object);
  if (!isFrame)
    return {
      payload: payloadOf({ object: objectOf(method, params) }),
      fPort: null,
      confirmed: undefined,
      priority: null,
    };
  if (fPort !== undefined && !isFPort(fPort)) throw invalid("downlink.f_port_invalid");
  return {
    payload: payloadOf({ data, hex, object }),
    fPort: fPort ?? null,
    confirmed: typeof confirmed === "boolean" ? confirmed : undefined,
    priority: typeof priority === "string" ? priority.slice(0, 32) : null,
  };
}

const isLorawan = ({ type }: Integration) => type === "CHIRPSTACK" || type === "THE_THINGS_STACK";

/** Creates the service through which all downlinks are sent: those of users, programs, rules, jobs and device commands. */
export function createDownlinksService(deps: {
  repository: DownlinksRepository;
  attempt: DownlinkAttempt;
  lifecycle: Pick<DownlinkLifecycle, "next" | "failAll" | "forget">;
  queue: Pick<DownlinkDelivery["queue"], "added" | "loadOf" | "isStarted">;
  ways: DownlinkWays;
  /** Returns an integration of the caller's tenant. @throws not_found */
  ensure: (principal: Principal, integrationId: string) => Integration;
  readyOf: (integration: Integration) => ReadyIntegration;
  /** @throws not_found */
  ensureDevice: (principal: Principal, deviceId: string) => DeviceId;
  findByDevEui: (tenantId: TenantId, devEui: string) => DeviceId | undefined;
  /** Fails a command that cannot be sent as a downlink. */
  refuse: (command: Command, error: DomainError) => void;
  durable: () => Promise<void>;
  now: () => number;
}) {
  const { repository, ways, now } = deps;
  /** Number and size of downlinks being written, by integration. The queue counts them once they are on disk. */
  const writing = new Map<string, Load>();
  /** Integrations being deleted; they carry no more commands. */
  const leaving = new Set<string>();

  function keyOfRequest(
    principal: Principal,
    { deviceId, devEui }: DownlinkRequest,
  ): { deviceId: DeviceId | null; deviceKey: string } {
    if ((deviceId === undefined) === (devEui === undefined)) throw invalid("downlink.device_missing");
    if (deviceId !== undefined) {
      const id = deps.ensureDevice(principal, deviceId);
      const deviceKey = ways.keyOf(id);
      if (deviceKey === undefined) throw invalid("downlink.dev_eui_missing");
      return { deviceId: id, deviceKey };
    }
    const key = parseDevEui(devEui);
    if (key === undefined) throw invalid("downlink.dev_eui_invalid");
    const found = deps.findByDevEui(principal.tenantId, key);
    if (found !== undefined) return { deviceId: deps.ensureDevice(principal, found), deviceKey: key };
    // An unregistered device: requires access to all future devices.
    ensureAllDevices(principal, detail("action.send_unregistered"));
    return { deviceId: null, deviceKey: key };
  }

  /** Returns the number of downlinks already waiting for the device. */
  function ensureRoom(downlink: NewDownlink): number {
    const { tenantId, deviceKey } = downlink;
    const waiting = repository.countQueued(tenantId, deviceKey);
    if (waiting >= QUEUED_PER_DEVICE_MAX)
      throw limited("downlink.too_many_of_device", 60, { count: QUEUED_PER_DEVICE_MAX });
    const excess = excessOf(downlink);
    if (excess !== undefined) throw excess;
    return waiting;
  }

  /** Returns an error if the integration has no room for the downlink in the given share of its limits. */
  function excessOf(downlink: NewDownlink, share = 1): DomainError | undefined {
    const queued = deps.queue.loadOf(targetOf(downlink));
    const { rows, bytes } = writing.get(downlink.integrationId) ?? { rows: 0, bytes: 0 };
    if (queued.rows + rows >= share * QUEUED_MAX)
      return limited("downlink.too_many", 60, { count: QUEUED_MAX });
    if (queued.bytes + bytes + bytesOf(downlink) <= share * SPACE_BYTES) return undefined;
    return limited("downlink.too_much", 60, { mib: SPACE_MIB });
  }

  async function written({ integrationId, bytes }: Downlink): Promise<void> {
    const load = writing.get(integrationId) ?? { rows: 0, bytes: 0 };
    writing.set(integrationId, load);
    load.rows++;
    load.bytes += bytes;
    try {
      await deps.durable();
    } finally {
      load.rows--;
      load.bytes -= bytes;
      if (load.rows === 0) writing.delete(integrationId);
    }
  }

  function newDownlink(
    { tenantId, integrationId }: Integration,
    input: Pick<
      NewDownlink,
      "deviceId" | "deviceKey" | "createdBy" | "expiresAt" | "confirmed" | "payload" | "fPort" | "priority"
    > & {
      commandRpcId?: number;
    },
  ): NewDownlink {
    const commandRpcId = input.commandRpcId ?? null;
    return { ...input, commandRpcId, downlinkId: newId(), tenantId, integrationId, createdAt: now() };
  }

  const added = (downlink: Downlink) =>
    deps.queue.added(targetOf(downlink), {
      orderKey: downlink.deviceKey,
      bytes: downlink.bytes,
      expiresAt: downlink.expiresAt,
    });

  function ensureSends(principal: Principal, integrationId: string): ReadyIntegration {
    const integration = deps.ensure(principal, integrationId);
    if (!isLorawan(integration)) throw invalid("downlink.no_network");
    if (integration.status === "paused") throw conflict("downlink.paused");
    return deps.readyOf(integration);
  }

  function parseCommand({ method, params }: Command): CommandDownlink | DomainError {
    try {
      return downlinkOfCommand(method, params);
    } catch (error) {
      if (error instanceof DomainError) return error;
      throw error;
    }
  }

  /** Returns the route of a command; undefined if there is none, or the command is about to expire. */
  function wayOf({ deviceId, tenantId, expiresAt }: Command) {
    // Before the queue starts, it does not know what waits.
    const deviceKey = expiresAt <= now() || !deps.queue.isStarted ? undefined : ways.keyOf(deviceId);
    if (deviceKey === undefined) return undefined;
    const integration = ways.integrationFor(tenantId, deviceKey);
    if (integration === undefined || leaving.has(integration.integrationId)) return undefined;
    return { deviceKey, integration };
  }

  return {
    /** Resolves once the network server has responded, or after `waitMs`; the downlink is on disk by then. */
    async create(
      principal: Principal,
      integrationId: string,
      request: DownlinkRequest,
      waitMs: number,
    ): Promise<Downlink> {
      const ready = ensureSends(principal, integrationId);
      const { integration, settings } = ready;
      const target = keyOfRequest(principal, request);
      const payload = payloadOf(request);
      const asked = { payload, fPort: request.fPort ?? null, deviceId: target.deviceId };
      const content = await deps.attempt.content(ready, asked);
      const downlink = newDownlink(integration, {
        ...target,
        payload: content.content,
        fPort: content.fPort ?? null,
        confirmed: request.confirmed ?? settings.downlink?.confirmed ?? false,
        priority: request.priority ?? null,
        createdBy: principal.apiKey?.name ?? principal.email,
        expiresAt: now() + (request.expiresInMs ?? DAY_MS),
      });
      deps.attempt.check(ready, downlink, content);
      const isFirst = ensureRoom(downlink) === 0;
      const stored = repository.insert(downlink);
      if (stored === undefined) throw notFound("downlink.not_stored");
      await written(stored);
      // In a queue, its turn may be far away.
      const ms = isFirst ? waitMs : Math.min(waitMs, BEHIND_OTHERS_MS);
      const answered = ms === 0 ? Promise.resolve(stored) : deps.lifecycle.next(stored, ms);
      added(stored);
      return answered;
    },
    list(
      principal: Principal,
      integrationId: string,
      page: { limit: number; offset: number; state?: DownlinkState | undefined },
    ): RowPage<Downlink> {
      ensureAllDevices(principal, detail("action.see_downlinks"));
      return repository.list(deps.ensure(principal, integrationId).integrationId, page);
    },
    /** Sends a command to a LoRaWAN device. Returns false if the device is not a LoRaWAN device, or currently has no route. */
    carry(command: Command): boolean {
      const { deviceId, tenantId, rpcId, createdBy, expiresAt } = command;
      const { deviceKey, integration } = wayOf(command) ?? {};
      if (deviceKey === undefined || integration === undefined) return false;
      // The others wait as commands, until there is room again.
      const isFull = repository.countQueued(tenantId, deviceKey) >= COMMANDS_SHARE * QUEUED_PER_DEVICE_MAX;
      if (isFull && !repository.hasCommand(rpcId)) return false;
      const parsed = parseCommand(command);
      if (parsed instanceof DomainError) {
        deps.refuse(command, parsed);
        return true;
      }
      const { settings } = deps.readyOf(integration);
      const downlink = newDownlink(integration, {
        deviceId,
        deviceKey,
        createdBy,
        expiresAt,
        commandRpcId: rpcId,
        payload: parsed.payload,
        fPort: parsed.fPort,
        priority: parsed.priority,
        // Confirmed by default, so that senders learn whether the command arrived.
        confirmed: parsed.confirmed ?? settings.downlink?.confirmed ?? true,
      });
      if (excessOf(downlink, COMMANDS_SHARE) !== undefined && !repository.hasCommand(rpcId)) return false;
      // If it is handed over again after a crash, it is the same downlink.
      const stored = repository.insert(downlink);
      if (stored !== undefined) added(stored);
      return true;
    },
    /** Fails the commands that the downlinks of an integration carry, in batches that let other work run, and then calls `remove`. */
    async abandon(integrationId: string, remove: () => void): Promise<void> {
      leaving.add(integrationId);
      try {
        for (;;) {
          const carriers = repository.listCarriers(integrationId, FAILED_PER_STEP);
          deps.lifecycle.failAll(carriers, () => detail("downlink_error.integration_deleted"));
          if (carriers.length < FAILED_PER_STEP) break;
          await workShare.next();
        }
        remove();
        deps.lifecycle.forget(integrationId);
      } finally {
        leaving.delete(integrationId);
      }
    },
    /** Returns whether a downlink still carries a command to the device. */
    carriesTo: (deviceId: DeviceId): boolean => repository.hasOpenCommand(deviceId),
  };
}

export type DownlinksService = ReturnType<typeof createDownlinksService>;
