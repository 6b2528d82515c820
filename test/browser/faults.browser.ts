// Refused credentials and the busiest devices on the System page.
import { expect, test } from "bun:test";
import { useConsole } from "./support/console-page.ts";

const STEP_MS = 30_000;
const ui = useConsole({ isStill: true });

const send = (token: string, body: string) =>
  fetch(`${ui.app.url}/api/v1/${token}/telemetry`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });

test(
  "an administrator finds who was refused at the own site",
  async () => {
    await fetch(`${ui.app.url}/idp/authorize`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: "nobody@plant.example", password: "wrong password 1" }),
    });
    const me = (await ui.call("GET", "/api/auth/me")) as { email: string };
    await fetch(`${ui.app.url}/idp/authorize`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: me.email, password: "wrong password 1" }),
    });
    await ui.open("/settings/audit");
    await ui.page.getByRole("link", { name: "Refused credentials" }).click();
    await ui.page.getByText(me.email).first().waitFor();
    expect(await ui.page.getByText("nobody@plant.example").count()).toBe(0);
    expect(ui.complaints).toEqual([]);
  },
  STEP_MS,
);

test(
  "an operator finds who was refused and which device sends the most",
  async () => {
    const device = (await ui.call("POST", "/api/devices", { name: "Loud pump", deviceType: "pump" })) as {
      deviceId: string;
      credentials: { token: string };
    };
    for (let index = 0; index < 3; index++) await send(device.credentials.token, '{"t":1}');
    await send("WrongTokenOfAPump", '{"t":1}');
    await send("WrongTokenOfAPump", '{"t":1}');
    await ui.open("/settings/system");
    const refused = ui.page.getByRole("region", { name: "Refused credentials" });
    const items = refused.getByRole("list").getByRole("listitem");
    const item = items.filter({ hasText: "Wron… (17)" });
    await item.getByText("2 times").waitFor();
    expect(await item.textContent()).toContain("belongs to no device");
    expect(await item.textContent()).toContain("Device API");
    expect(await ui.page.content()).not.toContain("WrongTokenOfAPump");
    await refused.getByLabel("Where it was refused").selectOption({ label: "MQTT" });
    await refused.getByText("No refusal matches").waitFor();
    await refused.getByLabel("Where it was refused").selectOption({ label: "Device API" });
    await item.waitFor();
    const talkers = ui.page.getByRole("region", { name: "Busiest devices" });
    const row = talkers.getByRole("row").filter({ hasText: "Loud pump" });
    await row.waitFor();
    expect(await row.getByRole("cell").allTextContents()).toEqual(["3", "3", expect.any(String), "0"]);
    await talkers.getByRole("button", { name: "Rejected" }).click();
    await row.waitFor({ state: "detached" });
    await talkers.getByRole("button", { name: "Messages" }).click();
    await row.getByRole("link").click();
    await ui.page.waitForURL(`**/devices/${device.deviceId}/messages`);
    expect(ui.complaints).toEqual([]);
  },
  STEP_MS,
);
