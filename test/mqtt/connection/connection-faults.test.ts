import { expect, test } from "bun:test";
import type { Fault } from "../../../src/modules/faults/faults.types.ts";
import { publishPacket, RawClient } from "../raw-client.ts";
import { serverPerTest } from "../running.ts";

const start = serverPerTest();
const TELEMETRY = "v1/devices/me/telemetry";

for (const version of [4, 5] as const) {
  test(`a packet beyond the limit is listed with its topic, its size and the limit, version ${version}`, async () => {
    const { port, ingest } = await start();
    const client = await RawClient.connect(port, version, { username: "pump" });
    client.send(publishPacket(TELEMETRY, JSON.stringify({ big: "x".repeat(70_000) })));
    await client.end();
    expect(ingest.rejected).toEqual([
      {
        deviceId: "device-pump",
        source: "mqtt",
        where: TELEMETRY,
        code: "device.mqtt_packet_too_large",
        params: { bytes: expect.any(Number), max: 65_536 },
      },
    ]);
    expect(Number(ingest.rejected[0]?.params.bytes)).toBeGreaterThan(70_000);
  });

  test(`two clients that end each other in turn are listed, version ${version}`, async () => {
    const { port, ingest } = await start();
    const clients = [];
    for (let index = 0; index < 12; index++) {
      const clientId = `client ${index % 2}`;
      clients.push(await RawClient.connect(port, version, { username: "pump", clientId }));
      await clients.at(-2)?.end();
    }
    // The first connection ends nothing, and two takeovers can be those of a client that has lost its connection.
    expect(ingest.rejected.map(({ code, where, params }) => [code, where, params.count])).toEqual(
      Array.from({ length: 9 }, (_, index) => ["device.mqtt_taken_over", "CONNECT", index + 3]),
    );
    clients.at(-1)?.drop();
  });
}

test("a client that reconnects after its connection has ended is not listed", async () => {
  const { port, ingest } = await start();
  for (let index = 0; index < 6; index++) {
    const client = await RawClient.connect(port, 4, { username: "pump" });
    client.send({ cmd: "disconnect" });
    await client.end();
  }
  expect(ingest.rejected).toEqual([]);
});

test("a protocol level that is not supported is reported with the peer", async () => {
  const faults: Fault[] = [];
  const { port } = await start({ report: (fault) => faults.push(fault) });
  for (const level of [0, 2, 6, 0x86]) {
    const client = await RawClient.open(port, 4);
    const hex = level.toString(16).padStart(2, "0");
    client.hex(`10 0d 00 04 4d 51 54 54 ${hex} 02 00 3c 00 01 61`);
    await client.end();
  }
  expect(faults.map(({ code, address, identity }) => [code, address, identity?.name])).toEqual(
    ["0x00", "0x02", "0x06", "0x86"].map((level) => ["refusal.protocol_level_unknown", "127.0.0.1", level]),
  );
});
