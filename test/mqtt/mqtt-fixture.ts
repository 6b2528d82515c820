import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DomainError, toText } from "../../src/lib/core/domain-error.ts";
import type { DeviceId, ProfileId, TenantId } from "../../src/lib/core/ids.ts";
import type {
  DeviceIngest,
  IngestDevice,
  IngestSource,
  PacketBody,
  Rejection,
} from "../../src/modules/ingest/ingest.types.ts";
import type { MqttHandlers, MqttLimits, MqttServer, MqttServerDeps } from "../../src/mqtt/mqtt.types.ts";
import { createMqttServer } from "../../src/mqtt/mqtt-server.ts";
import { createLogger } from "../../src/platform/core/log.ts";
import { type Clock, systemClock } from "../../src/platform/time/clock.ts";

export interface Taken {
  readonly deviceId: string;
  readonly kind: "telemetry" | "attributes";
  readonly body: string;
}

/** An ingest over an array. Commits by itself every few ms, or (held) when the test says so. */
export class ArrayIngest implements DeviceIngest {
  readonly taken: Taken[] = [];
  readonly rejected: (Rejection & { deviceId: string })[] = [];
  readonly commitMs: number;
  /** Commits wait for `commit()` or `fail()`. */
  held = false;
  #group: PromiseWithResolvers<void> | undefined;

  constructor(commitMs = 1) {
    this.commitMs = commitMs;
  }

  telemetry(device: IngestDevice, body: Uint8Array, source: IngestSource): Promise<void> {
    return this.#take("telemetry", device, body, source);
  }

  packet(device: IngestDevice, { buffer, start, end }: PacketBody): Promise<void> {
    return this.#take("telemetry", device, buffer.subarray(start, end), "mqtt");
  }

  attributes(device: IngestDevice, body: Uint8Array, source: IngestSource): Promise<void> {
    return this.#take("attributes", device, body, source);
  }

  reject(device: IngestDevice, rejection: Rejection): void {
    this.rejected.push({ ...rejection, deviceId: device.deviceId });
  }

  refuse(device: IngestDevice, error: unknown, message: Omit<Rejection, "code" | "params">): void {
    if (error instanceof DomainError) this.reject(device, { ...message, ...toText(error) });
  }

  commit(): void {
    const group = this.#group;
    this.#group = undefined;
    group?.resolve();
  }

  fail(error: Error = new DomainError("unavailable", { code: "storage.failed", params: {} })): void {
    const group = this.#group;
    this.#group = undefined;
    group?.reject(error);
  }

  #take(kind: Taken["kind"], device: IngestDevice, bytes: Uint8Array, source: IngestSource): Promise<void> {
    const body = new TextDecoder().decode(bytes);
    if (body.startsWith("full"))
      throw new DomainError("unavailable", { code: "storage.disk_full", params: {} });
    if (body.startsWith("limit")) {
      throw new DomainError("limited", { code: "rate.limited", params: {} }, { retryAfterSeconds: 0.3 });
    }
    if (body.startsWith("bad")) {
      this.reject(device, { source, where: kind, code: "body.malformed", params: {} });
      throw new DomainError("invalid", { code: "body.malformed", params: {} });
    }
    this.taken.push({ deviceId: device.deviceId, kind, body });
    if (this.#group === undefined) {
      this.#group = Promise.withResolvers();
      if (!this.held) setTimeout(() => this.commit(), this.commitMs);
    }
    return this.#group.promise;
  }
}

const limits: MqttLimits = {
  packetBytesMax: 64 * 1024,
  connectionsMax: 1000,
  connectionsPerAddressMax: 1000,
  connectTimeoutMs: 5_000,
  inFlightMax: 1000,
  queuedPerClientMax: 1000,
  sessionExpirySecondsMax: 3600,
  connectionsPerKeyMax: 1000,
  sessionsPerKeyMax: 1000,
  queuedBytesPerCredentialMax: 64 * 1024 * 1024,
  queuedBytesMax: 64 * 1024 * 1024,
};

export const createDevice = (name: string, role: "DEVICE" | "GATEWAY" = "DEVICE"): IngestDevice => {
  const tenantId = "tenant" as TenantId;
  const deviceId = `device-${name}` as DeviceId;
  return {
    deviceId,
    tenantId,
    name,
    profileId: "profile" as ProfileId,
    role,
    payload: "JSON",
    store: { tenantId, deviceId, no: 1 },
    revoked: false,
  };
};

/** Time that passes only when the test says so, or (released) by itself. */
export class ManualClock implements Clock {
  #ms = 0;
  #released = false;
  readonly #timers = new Set<{ at: number; callback: () => void }>();

  now(): number {
    return 1_700_000_000_000 + this.#ms;
  }

  monotonic(): number {
    return this.#released ? performance.now() : this.#ms;
  }

  schedule(ms: number, callback: () => void): () => void {
    if (this.#released) return systemClock.schedule(ms, callback);
    const timer = { at: this.#ms + ms, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Lets `ms` pass, timer by timer. */
  advance(ms: number): void {
    const end = this.#ms + ms;
    for (;;) {
      const next = [...this.#timers].sort((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > end) break;
      this.#timers.delete(next);
      this.#ms = Math.max(this.#ms, next.at);
      next.callback();
    }
    this.#ms = Math.max(this.#ms, end);
  }

  /** Time that nobody saw pass. */
  jump(ms: number): void {
    this.#ms += ms;
  }

  release(): void {
    this.#released = true;
    for (const { callback } of this.#timers) callback();
    this.#timers.clear();
  }
}

export interface Running {
  readonly server: MqttServer;
  readonly ingest: ArrayIngest;
  /** Token → device; a token that is not here makes one, except `wrong`, `banned` and `later`. */
  readonly devices: Map<string, IngestDevice>;
  readonly events: string[];
  readonly port: number;
  readonly sessionFile: string;
  stop(): Promise<void>;
  /** Stops and starts again on the same files. */
  restart(): Promise<Running>;
}

type Overrides = Partial<Omit<MqttServerDeps, "limits" | "ingest">> &
  Partial<MqttHandlers> & {
    limits?: Partial<MqttLimits>;
    ingest?: ArrayIngest;
  };

const refused = { wrong: "bad_credentials", banned: "not_authorized", later: "unavailable" } as const;

export async function startMqtt(overrides: Overrides = {}, directory?: string): Promise<Running> {
  const home = directory ?? mkdtempSync(join(tmpdir(), "lineside-mqtt-"));
  const ingest = overrides.ingest ?? new ArrayIngest();
  const devices = new Map<string, IngestDevice>();
  const events: string[] = [];
  const sessionFile = join(home, "sessions.db");
  const server = createMqttServer({
    host: "127.0.0.1",
    port: 0,
    clock: systemClock,
    log: createLogger("mqtt"),
    sessionFile,
    quotasOf: () => ({ connections: null, sessions: null, queuedBytes: null }),
    ...overrides,
    ingest,
    limits: { ...limits, ...overrides.limits },
  });
  server.handle({
    authenticate: ({ username }) => {
      if (username === undefined || username === "") return { ok: false, reason: "bad_credentials" };
      if (username === "wrong" || username === "banned" || username === "later") {
        return { ok: false, reason: refused[username] };
      }
      const device = devices.get(username) ?? createDevice(username);
      devices.set(username, device);
      return { ok: true, device };
    },
    onConnected: (device) => events.push(`connected ${device.name}`),
    onDisconnected: (device) => events.push(`disconnected ${device.name}`),
    ...overrides,
  });
  await server.start();
  let up = true;
  const halt = async () => {
    if (overrides.clock instanceof ManualClock) overrides.clock.release();
    if (up) await server.stop();
    up = false;
  };
  return {
    server,
    ingest,
    devices,
    events,
    port: server.port ?? 0,
    sessionFile,
    stop: async () => {
      await halt();
      rmSync(home, { recursive: true, force: true });
    },
    restart: async () => {
      await halt();
      return startMqtt({ ...overrides, ingest }, home);
    },
  };
}
