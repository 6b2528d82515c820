/// <reference lib="webworker" />
import { DomainError, notFound, unavailable } from "../../lib/core/domain-error.ts";
import { messageOf } from "../../lib/core/error-message.ts";
import { networkErrorText } from "../../lib/network/network-error.ts";
import { endOnRequest } from "../../platform/load/end-thread.ts";
import { ThreadCalls } from "../../platform/load/thread-calls.ts";
import { systemClock } from "../../platform/time/clock.ts";
import { DeviceCache } from "./device-cache.ts";
import { createRowTransform } from "./row-transform.ts";
import { TargetError } from "./target.errors.ts";
import type { TargetContext } from "./target.types.ts";
import { createTarget } from "./targets/targets.ts";
import type { MainCalls, ThreadCallsOfUplinks, UplinkJob } from "./uplink.protocol.ts";
import { type Item, UplinkReader } from "./uplink-reader.ts";
import { UplinkRunner } from "./uplink-runner.ts";
import { UplinkSpace } from "./uplink-space.ts";

interface Running {
  readonly runner: UplinkRunner;
  readonly reader: UplinkReader;
  readonly devices: DeviceCache;
}

/** Bytes of all uplinks' batches after which garbage is collected: at full speed, garbage would take more memory than all live data. */
const BYTES_PER_COLLECTION = 8 * 1024 * 1024;
let uncollectedBytes = 0;

function countBytes(item: Item | "later" | undefined): void {
  if (typeof item !== "object") return;
  uncollectedBytes += item.bytes;
  if (uncollectedBytes < BYTES_PER_COLLECTION) return;
  uncollectedBytes = 0;
  Bun.gc(true);
}

const space = new UplinkSpace();
/** Running uplinks by id. */
const running = new Map<string, Running>();

const calls = new ThreadCalls<MainCalls, ThreadCallsOfUplinks>((message) => postMessage(message), {
  async run(job) {
    await end(job.uplinkId);
    running.set(job.uplinkId, start(job));
  },
  end: ({ uplinkId }) => end(uplinkId),
  wake() {
    for (const { reader, runner } of running.values()) {
      reader.wake();
      runner.wake();
    }
  },
  forgetDevices({ deviceIds }) {
    for (const { devices } of running.values()) devices.forget(deviceIds);
  },
  async check(job) {
    const target = await createTarget(job.target, contextOf(job));
    try {
      await target.check(AbortSignal.timeout(CHECK_TIMEOUT_MS));
    } catch (error) {
      throw error instanceof DomainError
        ? error
        : unavailable("uplink.unreachable", { reason: networkErrorText(error) });
    } finally {
      await target.close();
    }
  },
  skip({ uplinkId }) {
    const uplink = running.get(uplinkId);
    if (uplink === undefined) throw notFound("uplink.not_found");
    uplink.runner.skip();
  },
});

const CHECK_TIMEOUT_MS = 20_000;

function contextOf({ uplinkId, authorities }: UplinkJob): TargetContext {
  return {
    uplinkId,
    authorities,
    async resolve(host, port) {
      try {
        return await calls.call("resolve", { uplinkId, host, port });
      } catch (error) {
        // The gateway never connects there.
        if (error instanceof DomainError && error.kind === "invalid")
          throw new TargetError("settings", error);
        throw error;
      }
    },
    command: (deviceId, method, params) => calls.call("command", { uplinkId, deviceId, method, params }),
    commandsUnanswered: () => void calls.call("commandsUnanswered", { uplinkId }),
    setAside: (file) => void calls.call("setAside", { uplinkId, file }),
    now: systemClock.now,
  };
}

function start(job: UplinkJob): Running {
  const { uplinkId } = job;
  const devices = new DeviceCache((deviceIds) => calls.call("devices", { uplinkId, deviceIds }));
  const reader = new UplinkReader(job, {
    call: (name, args) => calls.call(name, args),
    devices,
    transform: createRowTransform(job),
  });
  const runner = new UplinkRunner({
    tenantId: job.tenantId,
    space,
    source: {
      async next(hasOutstanding) {
        const item = await reader.next(hasOutstanding);
        countBytes(item);
        return item;
      },
    },
    createTarget: () => createTarget(job.target, contextOf(job)),
    window: job.window,
    bytesPerSecond: job.bytesPerSecond,
    report: (report) => void calls.call("report", { uplinkId, report }),
    clock: systemClock,
    random: Math.random,
  });
  runner.start();
  return { runner, reader, devices };
}

async function end(uplinkId: string): Promise<void> {
  const uplink = running.get(uplinkId);
  running.delete(uplinkId);
  await uplink?.runner.stop();
}

// The clients of targets throw in their own callbacks, where nobody can catch it. That must not end the uplinks of all others: what waits for
// such a client fails by its time limit.
process.on("uncaughtException", reportFailure);
process.on("unhandledRejection", reportFailure);

function reportFailure(error: unknown): void {
  void calls.call("failed", { reason: messageOf(error) });
}

endOnRequest();
addEventListener("message", (event: MessageEvent<unknown>) => calls.receive(event.data));
