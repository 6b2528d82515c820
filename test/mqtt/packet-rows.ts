import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../support/until.ts";
import { type Running, startMqtt } from "./mqtt-fixture.ts";
import { RawClient } from "./raw-client.ts";

const hex = (text: string) => Buffer.from(text).toString("hex");

/** A string as MQTT writes it, in hex. */
export const str = (text: string) => Buffer.byteLength(text).toString(16).padStart(4, "0") + hex(text);

/** A packet of header and body, with its remaining length, in hex. */
export function packet(header: string, body: string): string {
  let length = body.length / 2;
  let encoded = "";
  do {
    const byte = (length % 128) + (length > 127 ? 128 : 0);
    encoded += byte.toString(16).padStart(2, "0");
    length = Math.floor(length / 128);
  } while (length > 0);
  return header + encoded + body;
}

export const telemetry = str("v1/devices/me/telemetry");
export const publish4 = (header: string, id: string, body = '{"a":1}', topic = telemetry) =>
  packet(header, `${topic}${id}${hex(body)}`);
export const publish5 = (
  header: string,
  id: string,
  body = '{"a":1}',
  topic = telemetry,
  properties = "00",
) => packet(header, `${topic}${id}${properties}${hex(body)}`);

type Version = 3 | 4 | 5;

export const connects: Readonly<Record<Version, string>> = {
  3: packet("10", `${str("MQIsdp")}0382003c${str("c3")}${str("seq")}`),
  4: packet("10", `${str("MQTT")}0482003c${str("c4")}${str("seq")}`),
  5: packet("10", `${str("MQTT")}0582003c00${str("c5")}${str("seq")}`),
};

const PINGRESP = "d000";

async function expectResponse(client: RawClient, response: string): Promise<void> {
  await until(() => client.bytes.length >= response.length / 2 || client.closed, "the answer");
  client.packets.length = 0; // of pings that are rows themselves
  // The answer to a ping comes after anything that would be too much.
  await client.ping();
  expect(client.received).toBe(`${response}${PINGRESP}`);
  expect(client.closed).toBe(false);
  client.drop();
}

async function expectEnd(client: RawClient, response: string): Promise<void> {
  await client.end();
  expect(client.received).toBe(response);
}

/** Registers a server for the test file, and gives the kinds of rows it can hold. */
export function packetRows() {
  let mqtt: Running;
  beforeAll(async () => {
    mqtt = await startMqtt({ limits: { packetBytesMax: 2048 } });
  });
  afterAll(() => mqtt.stop());

  const signedIn = async (version: Version) => {
    const client = await RawClient.open(mqtt.port, version);
    client.hex(connects[version]);
    await client.next("connack");
    client.bytes.length = 0;
    return client;
  };
  const unsigned = (version: Version) => RawClient.open(mqtt.port, version);
  const row =
    (open: typeof signedIn, check: typeof expectResponse) =>
    (version: Version, name: string, send: string, response = "") =>
      test(`version ${version}: ${name}`, async () => {
        const client = await open(version);
        client.hex(send);
        await check(client, response);
      });
  return {
    running: () => mqtt,
    /** The first packet is answered and the connection stays. */
    acceptsFirst: row(unsigned, expectResponse),
    /** The first packet ends the connection, after the answer. */
    refusesFirst: row(unsigned, expectEnd),
    /** After signing in, the bytes are answered and the connection stays. */
    responses: row(signedIn, expectResponse),
    /** After signing in, the bytes end the connection, after the answer. */
    closes: row(signedIn, expectEnd),
  };
}
