// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of site files look like this
import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { createFolder, type Gateway, startGateway } from "./site-fixture.ts";

let gateway: Gateway;
let folder: Awaited<ReturnType<typeof createFolder>>;

beforeEach(async () => {
  [gateway, folder] = [await startGateway(), await createFolder()];
});
afterEach(async () => {
  await gateway.fixture.stop();
  await folder.remove();
});

const unit = (device: string, line: string, fields = "") => `
  - { deviceId: "\${device:${device}}", connectionId: "\${modbusConnection:${line}}"${fields} }`;

const site = (units: string) => `format: lineside.site
version: 1
devices:
  - { name: Meter 1, deviceType: meter }
  - { name: Meter 2, deviceType: meter }
modbusConnections:
  - { name: Line 1, host: 127.0.0.1, port: 9, enabled: false, framing: RTU }
  - { name: Line 2, host: 127.0.0.1, port: 9, enabled: false }
modbusUnits:${units}
`;

async function apply(units: string, ...options: string[]) {
  const path = join(folder.path, "site.yaml");
  await Bun.write(path, site(units));
  return gateway.run(["apply", "site", path, "--yes", ...options]);
}

/** Returns the units of all connections, in words. */
async function units(): Promise<string[]> {
  const { body: lines } = await gateway.call("GET", "/api/modbus/connections");
  const lists = lines.map(async ({ connectionId, name }: Record<string, string>) => {
    const { body } = await gateway.call("GET", `/api/modbus/connections/${connectionId}/units`);
    return body.map((shown: Record<string, unknown>) => `${name}: ${shown.deviceName} = ${shown.unitId}`);
  });
  return (await Promise.all(lists)).flat();
}

const registers =
  ", unitId: 3, registers: [{ key: power, area: HOLDING_REGISTER, address: 0, type: UINT16, scale: 0.1 }]";

test("creates, changes and prunes units by their devices", async () => {
  const both = unit("Meter 1", "Line 1", registers) + unit("Meter 2", "Line 2");
  expect(await apply(both)).toMatchObject({ code: 0, error: "" });
  expect(await units()).toEqual(["Line 1: Meter 1 = 3", "Line 2: Meter 2 = 1"]);
  expect((await apply(both, "--plan")).code).toBe(0);

  const changed = await apply(unit("Meter 1", "Line 1", registers.replace("unitId: 3", "unitId: 4")));
  expect(changed.out).toContain('~ modbusUnits "${device:Meter 1}"\n      unitId: 3 → 4');
  expect(await units()).toEqual(["Line 1: Meter 1 = 4", "Line 2: Meter 2 = 1"]);

  expect((await apply(`${unit("Meter 2", "Line 2")}\n...`, "--prune")).code).toBe(0);
  expect(await units()).toEqual(["Line 2: Meter 2 = 1"]);
  expect((await gateway.call("GET", "/api/devices?search=Meter")).body).toHaveLength(2);
});

test("refuses a unit that moves to another connection, and one without connection, before anything is sent", async () => {
  expect((await apply(unit("Meter 1", "Line 1"))).code).toBe(0);
  const moved = await apply(unit("Meter 1", "Line 2"));
  expect([moved.code, moved.error]).toEqual([
    1,
    expect.stringContaining("cannot be changed after the creation"),
  ]);
  const alone = await apply('\n  - { deviceId: "${device:Meter 2}" }');
  expect([alone.code, alone.error]).toEqual([1, expect.stringContaining('needs the field "connectionId"')]);
  const typo = await apply(unit("Meter 2", "Line 3"));
  expect([typo.code, typo.error]).toEqual([1, expect.stringContaining('Did you mean "Line 1"?')]);
  expect(await units()).toEqual(["Line 1: Meter 1 = 1"]);
});

test("refuses an unknown setting of a serial port by its name", async () => {
  const path = join(folder.path, "site.yaml");
  const serial = "{ baudRate: 9600, parity: NONE, stopBits: 1, dataBits: 7 }";
  const line = `{ name: Line 3, host: /dev/ttyUSB0, framing: SERIAL, serial: ${serial} }`;
  await Bun.write(path, `format: lineside.site\nversion: 1\nmodbusConnections:\n  - ${line}\n`);
  const { code, error } = await gateway.run(["apply", "site", path, "--yes"]);
  expect([code, error]).toEqual([1, expect.stringContaining("dataBits")]);
  expect((await gateway.call("GET", "/api/modbus/connections")).body).toEqual([]);
});
