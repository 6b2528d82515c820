import { expect, test } from "bun:test";
import type { DeviceId } from "../../../src/lib/core/ids.ts";
import { JsonText } from "../../../src/lib/json/json-text.ts";
import { createOwnRequests } from "../../../src/modules/commands/own-requests.ts";
import type { ScriptRun } from "../../../src/modules/script-sandbox/script-sandbox.types.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { createDevice } from "../../mqtt/mqtt-fixture.ts";

// The data of a device for a script may be 30 MB of JSON: it is read for one device at a time, and not parsed.

function createRequests(script: string) {
  const reads = { running: 0, max: 0 };
  const runs: ScriptRun[] = [];
  const response = createOwnRequests({
    profiles: { ensure: () => ({ deviceRequests: [{ method: "m", script }] }) },
    attributes: {
      readTexts: (_: unknown, scope: string) => [{ key: "__proto__", text: `{"of":"${scope}"}` }],
    },
    async latestJson([deviceId]: readonly DeviceId[]) {
      reads.max = Math.max(reads.max, ++reads.running);
      await Bun.sleep(1);
      reads.running--;
      const latest = { values: '{"a,\\"ts\\":1":",\\"ts\\":2","j":[{}]}', timestamps: '{"j":3}', ts: 3 };
      return new Map([[deviceId, latest]]);
    },
    async runScript(run: ScriptRun) {
      runs.push(run);
      return { value: null };
    },
    clock: { now: () => 0 },
    log: createLogger(),
  } as never); // what it uses of them
  const ask = (name: string) => response(createDevice(name), { method: "m" });
  return { ask, reads, runs };
}

const metadataIn = ({ metadata }: ScriptRun): unknown =>
  JSON.parse(metadata instanceof JsonText ? metadata.text : "");

test("a script gets the data that its source names, as JSON", async () => {
  const { ask, runs } = createRequests("metadata.attributes, metadata.telemetry");
  await ask("one");
  expect(JSON.stringify(metadataIn(runs[0]!))).toBe(
    JSON.stringify({
      deviceId: "device-one",
      deviceName: "one",
      attributes: {
        client: JSON.parse('{"__proto__":{"of":"CLIENT"}}'),
        shared: JSON.parse('{"__proto__":{"of":"SHARED"}}'),
      },
      telemetry: { 'a,"ts":1': ',"ts":2', j: [{}] },
      timestamps: { j: 3 },
    }),
  );
  const without = createRequests("request");
  await without.ask("two");
  expect(metadataIn(without.runs[0]!)).toEqual({ deviceId: "device-two", deviceName: "two" });
});

test("the data of one device of a tenant is read at a time", async () => {
  const { ask, reads, runs } = createRequests("metadata.telemetry");
  await Promise.all(Array.from({ length: 10 }, (_, index) => ask(`device ${index}`)));
  expect(runs).toHaveLength(10);
  expect(reads.max).toBe(1);
});
