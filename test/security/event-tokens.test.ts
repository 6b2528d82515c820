import { expect, test } from "bun:test";
import { encode } from "cbor-x";
import fc from "fast-check";
import { createEventTokens } from "../../src/modules/integrations/events/event-tokens.ts";
import { createSealedBox } from "../../src/platform/secrets/sealed-box.ts";
import {
  api,
  eventsOf,
  fixture,
  integration,
  latestOf,
  token as owner,
  post,
  useWebhooks,
} from "../api/webhooks-fixture.ts";

/** Access tokens of devices do not stand in what is kept of messages, and payloads are for those who may change integrations. */

useWebhooks();

test("a token in a webhook is masked in its event, in whatever form it comes, and the message can be worked on again", async () => {
  const id = await integration();
  const { token, deviceId } = await fixture.createDevice(owner, { name: "pump" });
  const body = { deviceToken: token, payload: { force: 12 } };
  expect((await post({ id, body })).status).toBe(200);
  const cbor = await post({ id, raw: encode(body), headers: { "content-type": "application/cbor" } });
  expect(cbor.status).toBe(200);
  expect(await latestOf("pump")).toEqual({ force: 12 });
  const unknown = "unknown-token-of-no-device";
  expect((await post({ id, body: { deviceToken: unknown, payload: { force: 1 } } })).status).toBe(400);
  const events = await eventsOf(id);
  expect(events).toHaveLength(3);
  const text =
    JSON.stringify(events) +
    JSON.stringify(
      await Promise.all(
        events.map(
          async ({ eventId }: { eventId: string }) =>
            (await api("GET", `/api/integrations/${id}/events/${eventId}`)).body,
        ),
      ),
    );
  expect(text).not.toContain(token);
  expect(text).not.toContain(unknown);
  expect(text).toContain(`${token.slice(0, 4)}****`);
  await fixture.call("DELETE", `/api/devices/${deviceId}/telemetry?from=0&to=9999999999999`, {
    token: owner,
  });
  const fine = events.find(({ status }: { status: string }) => status === "OK");
  const replayed = await api("POST", `/api/integrations/${id}/events/${fine.eventId}/replay`);
  expect([replayed.status, replayed.body.status]).toEqual([200, "OK"]);
  expect(await latestOf("pump")).toEqual({ force: 12 });
});

test("who may not change integrations sees no payload and cannot search for its content", async () => {
  const id = await integration();
  await post({ id, body: { externalDeviceId: "a", secretText: "hidden-content" } });
  const reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
  const list = await fixture.call("GET", `/api/integrations/${id}/events`, { token: reader });
  expect([list.status, list.body.length]).toEqual([200, 1]);
  expect(list.body[0].payload).toBeNull();
  const single = await fixture.call("GET", `/api/integrations/${id}/events/${list.body[0].eventId}`, {
    token: reader,
  });
  expect([single.status, single.body.payload]).toEqual([200, null]);
  const search = (token: string) =>
    fixture.call("GET", `/api/integrations/${id}/events?search=externaldeviceid`, { token });
  expect((await search(owner)).body).toHaveLength(1);
  expect((await search(reader)).body).toHaveLength(0);
});

test("samples of failed messages have no secrets, and are for those who may change integrations", async () => {
  const id = await integration();
  const { token } = await fixture.createDevice(owner, { name: "sampled" });
  const raw = `{"deviceToken":"${token}","secretKey":"7HK4-WQ2M","text":"hidden-content"`;
  for (const bytes of [raw, Buffer.from(raw, "utf16le")])
    expect((await post({ id, raw: bytes, headers: { "content-type": "application/json" } })).status).toBe(
      400,
    );
  const faultsOf = async (as: string) =>
    (await fixture.call("GET", `/api/faults?subject=integration&subjectId=${id}`, { token: as })).body;
  const faults = await faultsOf(owner);
  expect(faults.length).toBeGreaterThan(0);
  for (const { sample } of faults) {
    expect(sample).toContain("hidden-content");
    expect(sample).not.toContain(token);
    expect(sample).not.toContain("7HK4");
  }
  const seen = await faultsOf((await fixture.signIn("TENANT_READ_ONLY")).token);
  expect(seen).toHaveLength(faults.length);
  for (const fault of seen) expect(fault).not.toHaveProperty("sample");
});

test("masking hides each token of a message and gives back every byte", () => {
  const tokens = createEventTokens(createSealedBox(new Uint8Array(32), "test"));
  const message = fc.record({
    deviceToken: fc.string({ minLength: 1, maxLength: 300 }),
    before: fc.jsonValue(),
    items: fc.array(fc.record({ deviceToken: fc.string({ minLength: 1, maxLength: 40 }), t: fc.double() })),
  });
  const forms = [
    (value: unknown) => new TextEncoder().encode(JSON.stringify(value)),
    (value: unknown) => new TextEncoder().encode(JSON.stringify(value, null, 2)),
    (value: unknown) => new Uint8Array(encode(value)),
  ];
  fc.assert(
    fc.property(message, fc.constantFrom(...forms), (value, toBytes) => {
      const bytes = toBytes(value);
      const source = { bytes, encoding: "AUTO", receivedAt: 1 } as const;
      const masked = tokens.mask(source);
      expect(masked.bytes.length).toBe(bytes.length);
      const text = Buffer.from(masked.bytes).toString();
      for (const { deviceToken } of [value, ...value.items])
        if (/^[a-z0-9]{12,}$/i.test(deviceToken)) expect(text.includes(deviceToken)).toBe(false);
      expect(tokens.unmask(masked)).toEqual(source);
    }),
    { numRuns: 300 },
  );
});

test("a token is masked however JSON escapes its name", () => {
  const tokens = createEventTokens(createSealedBox(new Uint8Array(32), "test"));
  const secret = "abcdefghijklmnop";
  const escapeOf = (letter: string, isUpper: boolean) => {
    const hex = letter.charCodeAt(0).toString(16).padStart(4, "0");
    return `\\u${isUpper ? hex.toUpperCase() : hex}`;
  };
  const spelling = fc.array(fc.constantFrom("plain", "lower", "upper"), { minLength: 11, maxLength: 11 });
  fc.assert(
    fc.property(spelling, (spellings) => {
      const name = [..."deviceToken"]
        .map((letter, index) =>
          spellings[index] === "plain" ? letter : escapeOf(letter, spellings[index] === "upper"),
        )
        .join("");
      const text = `{"${name}":"${secret}","t":1}`;
      expect(JSON.parse(text)).toEqual({ deviceToken: secret, t: 1 });
      const source = { bytes: Buffer.from(text), encoding: "AUTO", receivedAt: 1 } as const;
      const masked = tokens.mask(source);
      expect(JSON.parse(Buffer.from(masked.bytes).toString())).toEqual({
        deviceToken: "abcd************",
        t: 1,
      });
      expect(Buffer.from(tokens.unmask(masked).bytes).toString()).toBe(text);
    }),
  );
});

test("a name without quotes, and a text that does not end, are masked, too", () => {
  const tokens = createEventTokens(createSealedBox(new Uint8Array(32), "test"));
  const masked = (text: string) =>
    Buffer.from(tokens.mask({ bytes: Buffer.from(text), encoding: "AUTO", receivedAt: 1 }).bytes).toString();
  expect(masked("{deviceToken: 'abcdefghijklmnop', t: 1}")).toBe("{deviceToken: 'abcd************', t: 1}");
  expect(masked('{"deviceToken":"abcdefghijklmnop')).toBe('{"deviceToken":"abcd************');
  expect(masked("{'device\\x54o\\ken': 'abcdefghijklmnop'}")).toBe(
    "{'device\\x54o\\ken': 'abcd************'}",
  );
  expect(masked('{"deviceToken":7}')).toBe('{"deviceToken":7}');
});

test.each(["utf-16le", "utf-16be"])("a token in %s is masked, and comes back", (encoding) => {
  const tokens = createEventTokens(createSealedBox(new Uint8Array(32), "test"));
  const bytes = new Uint8Array(Buffer.from('{"deviceToken":"abcdefghijklmnop","t":1}', "utf16le"));
  if (encoding === "utf-16be") Buffer.from(bytes.buffer).swap16();
  const source = { bytes, encoding: "AUTO", receivedAt: 1 } as const;
  const masked = tokens.mask(source);
  const text = new TextDecoder(encoding).decode(masked.bytes);
  expect(text).toStartWith('{"deviceToken":"ab');
  expect(text).not.toContain("cd");
  expect(text).toEndWith('","t":1}');
  expect(tokens.unmask(masked)).toEqual(source);
});

test("tokens that would overlap are kept once: the work and what is kept are proportional to the message", () => {
  const tokens = createEventTokens(createSealedBox(new Uint8Array(32), "test"));
  const bytes = Buffer.from("\x6bdeviceToken\x79\xff\xff".repeat(4_000), "latin1");
  const source = { bytes, encoding: "AUTO", receivedAt: 1 } as const;
  const masked = tokens.mask(source);
  expect(Buffer.compare(masked.bytes, source.bytes)).not.toBe(0);
  expect(bytes.includes("****")).toBe(false);
  expect(masked.sealedTokens?.length).toBeLessThan(10 * bytes.length); // JSON writes a byte as up to six characters
  expect(Buffer.compare(tokens.unmask(masked).bytes, bytes)).toBe(0);
});
