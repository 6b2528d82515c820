import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

/** Numbers in addresses that no counter reaches. Every operation accepts or refuses them, and none fails. */

const NUMBERS = [
  "9".repeat(40),
  `-${"9".repeat(40)}`,
  "9223372036854775808",
  "9007199254740993",
  "1e308",
  "1e999",
  "0.5",
  "NaN",
  "Infinity",
  "0x10",
  "%00",
];

/** How long a device waits for something to happen: not in this test. */
const WAIT = "timeout";
const input: Record<string, string> = { scope: "CLIENT", [WAIT]: "0" };

interface Parameter {
  readonly in: string;
  readonly name: string;
}

let fixture: TestApp;
let token: string;
/** Things that exist, by what begins the paths that are about them. */
const ids = new Map<string, string>();
let paths: Array<[path: string, parameters: readonly Parameter[]]>;

beforeAll(async () => {
  fixture = await createTestApp({ host: "one" });
  token = (await fixture.signIn("TENANT_OWNER")).token;
  const post = async (path: string, body: unknown) =>
    (await fixture.call("POST", path, { token, body })).body as Record<string, string>;
  const device = await fixture.createDevice(token);
  const pipeline = await post("/api/data-pipelines", { name: "a", steps: [] });
  const integration = await post("/api/integrations", { name: "a", type: "HTTP" });
  const dashboard = await post("/api/dashboards", { name: "a" });
  const job = await post("/api/scheduler", {
    name: "a",
    schedule: { kind: "interval", everyMs: 60_000 },
    action: { type: "command", deviceIds: [device.deviceId], command: { method: "a" } },
  });
  ids.set("/api/devices", device.deviceId);
  ids.set("/api/v1/{deviceToken}", device.token);
  ids.set("/api/data-pipelines", pipeline.pipelineId ?? "");
  ids.set("/api/integrations", integration.integrationId ?? "");
  ids.set("/api/dashboards", dashboard.id ?? "");
  ids.set("/api/scheduler", job.jobId ?? "");
  expect([...ids.values()].every((id) => id.length > 8)).toBe(true);
  const { body } = await fixture.call("GET", "/docs/json");
  paths = Object.entries(
    body.paths as Record<string, { get?: { parameters?: Parameter[] } } | undefined>,
  ).flatMap(([path, { get } = {}]) => (get === undefined ? [] : [[path, get.parameters ?? []]]));
});
afterAll(() => fixture.stop());

function filled(path: string): string {
  const id = [...ids].find(([prefix]) => path.startsWith(prefix))?.[1] ?? "x";
  return path.replace(/\{[^}]+\}/g, id);
}

async function failures(addresses: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const address of addresses) {
    const { status } = await fixture.call("GET", address, { token });
    if (status >= 500) found.push(`${status} ${address}`);
  }
  return found;
}

test("no number in a query makes an operation fail", async () => {
  const addresses = paths.flatMap(([path, parameters]) =>
    parameters
      .filter((parameter) => parameter.in === "query" && parameter.name !== WAIT)
      .flatMap(({ name }) => {
        const others = parameters
          .filter((other) => other.in === "query" && /^(from|to|scope|keys|timeout)$/.test(other.name))
          .filter((other) => other.name !== name)
          .map((other) => `${other.name}=${input[other.name] ?? "1"}`);
        return NUMBERS.map((number) => `${filled(path)}?${[...others, `${name}=${number}`].join("&")}`);
      }),
  );
  expect(addresses.length).toBeGreaterThan(500);
  expect(await failures(addresses)).toEqual([]);
});

test("no number in a path makes an operation fail", async () => {
  const addresses = paths
    .filter(([path]) => path.includes("{"))
    .flatMap(([path]) => NUMBERS.map((number) => path.replace(/\{[^}]+\}/g, number)));
  expect(addresses.length).toBeGreaterThan(200);
  expect(await failures(addresses)).toEqual([]);
});
