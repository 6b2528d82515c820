import { expect, test } from "bun:test";
import { createIngestService, type TelemetryObserver } from "../../../src/modules/ingest/ingest.service.ts";
import type { IngestDevice } from "../../../src/modules/ingest/ingest.types.ts";
import { FakeClock } from "../../support/fake-clock.ts";

// The parts of a device that the way in looks at.
const device = { deviceId: "d", tenantId: "t", payload: "JSON" } as unknown as IngestDevice;

const ingestWith = (...observers: TelemetryObserver[]) =>
  createIngestService({
    store: {
      append: () => Promise.resolve(),
      fit: (_, readings) => ({ readings: [...readings], hit: undefined }),
    },
    attributes: { setClient: () => undefined, setFor: () => undefined } as never,
    transform: () => undefined,
    forward: (committed) => committed,
    attributesDurable: () => Promise.resolve(),
    onRejected: () => undefined,
    observers,
    hold: () => Promise.resolve(),
    touch: () => undefined,
    traffic: { received: () => undefined, rejected: () => undefined },
    ensureRoom: () => undefined,
    clock: new FakeClock(),
  });

test("a message is acknowledged when what it has caused is on the disk, too", async () => {
  const written = Promise.withResolvers<void>();
  const ingest = ingestWith(
    () => undefined,
    () => written.promise,
  );
  let isDone = false;
  const done = ingest.readings(device, [{ ts: 1, values: { t: 1 } }]).then(() => {
    isDone = true;
  });
  await Bun.sleep(0);
  expect(isDone).toBe(false);
  written.resolve();
  await done;
  expect(isDone).toBe(true);
});

test("it is not acknowledged when that cannot be written", async () => {
  const ingest = ingestWith(() => Promise.reject(new Error("the disk failed")));
  const refused = await ingest.readings(device, [{ ts: 1, values: { t: 1 } }]).catch((error: Error) => error);
  expect(refused).toEqual(new Error("the disk failed"));
});
