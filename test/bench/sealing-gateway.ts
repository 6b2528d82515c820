/**
 * A gateway that seals all that its telemetry store holds when it reads the line `compact`: an hour of data or a million points would be needed
 * otherwise. Argument: the data directory.
 */
import { createApp } from "../../src/app.ts";
import { defaultConfig } from "../../src/platform/config/config.ts";

const [data = ""] = process.argv.slice(2);
const app = createApp(
  defaultConfig({
    data,
    http_port: 0,
    mqtt_port: 0,
    http_host: "127.0.0.1",
    mqtt_host: "127.0.0.1",
    outbound_allow: "127.0.0.1",
  }),
);
const { LINESIDE_OWNER_EMAIL: email = "", LINESIDE_OWNER_PASSWORD: password = "" } = process.env;
if (app.services.setup.isRequired())
  await app.services.setup.createOwner({ email, password, fullName: "Bench", tenantName: "Bench" });
await app.start();
console.error(`ready url=${app.url} mqttPort=${app.mqttPort}`);
for await (const line of console)
  if (line === "compact") app.services.store.compact().catch((error) => console.error(error));
