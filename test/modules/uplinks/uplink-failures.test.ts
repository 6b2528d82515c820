import { expect, test } from "bun:test";
import { TargetError } from "../../../src/modules/uplinks/target.errors.ts";
import type { Batch, Target } from "../../../src/modules/uplinks/target.types.ts";
import type { Item } from "../../../src/modules/uplinks/uplink-reader.ts";
import { UplinkRunner } from "../../../src/modules/uplinks/uplink-runner.ts";
import { UplinkSpace } from "../../../src/modules/uplinks/uplink-space.ts";
import { systemClock } from "../../../src/platform/time/clock.ts";
import { until } from "../../support/until.ts";

const failure = () => new TargetError("retry", { code: "uplink.unreachable", params: { reason: "away" } });

interface Rig {
  readonly confirmed: string[];
  readonly sent: string[];
  readonly runner: UplinkRunner;
}

/** Runs batches named `0`, `1` … of which those in `barriers` are barriers; the first `failures` transmissions fail. */
function start(options: { count: number; inFlightMax: number; failures: number; barriers?: number[] }): Rig {
  const confirmed: string[] = [];
  const sent: string[] = [];
  let next = 0;
  let { failures } = options;
  const source = {
    async next(): Promise<Item | undefined> {
      if (next >= options.count) return undefined;
      const index = next++;
      return {
        batch: { id: `${index}`, records: [{}], points: 0 } as unknown as Batch, // nothing reads the records
        isBarrier: options.barriers?.includes(index) ?? false,
        bytes: 1_000,
        confirm: async () => void confirmed.push(`${index}`),
        repeat: () => {
          next = index;
        },
        pass: () => {
          next = index + 1;
        },
      };
    },
  };
  const createTarget = async (): Promise<Target> => ({
    inFlightMax: options.inFlightMax,
    bytesSent: 0,
    check: async () => undefined,
    async send({ id }) {
      await Promise.resolve();
      if (failures-- > 0) throw failure();
      sent.push(id);
    },
    close: async () => undefined,
  });
  const clock = { ...systemClock, schedule: (_: number, run: () => void) => systemClock.schedule(0, run) };
  const runner = new UplinkRunner({
    tenantId: "tenant-1",
    space: new UplinkSpace(),
    source,
    createTarget,
    window: null,
    bytesPerSecond: null,
    report: () => undefined,
    clock,
    random: Math.random,
  });
  runner.start();
  return { confirmed, sent, runner };
}

for (const inFlightMax of [1, 2, 4])
  test(`sends every batch after failures with ${inFlightMax} in flight`, async () => {
    const { confirmed, sent, runner } = start({ count: 9, inFlightMax, failures: 7, barriers: [3, 5] });
    await until(() => confirmed.includes("8"));
    await runner.stop();
    expect(confirmed).toEqual([..."012345678"]);
    expect([...new Set(sent)].toSorted()).toEqual([..."012345678"]);
  });
