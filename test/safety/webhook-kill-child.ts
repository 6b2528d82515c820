import { createApp } from "../../src/app.ts";
import { defaultConfig } from "../../src/platform/config/config.ts";
import type { Clock } from "../../src/platform/time/clock.ts";

/** A gateway whose time runs faster, so that an hour passes in seconds. */
const [, , directory = "", wall = "", factor = ""] = process.argv;
const times = Number(factor);
const begun = performance.now();

const clock: Clock = {
  now: () => Number(wall) + Math.floor((performance.now() - begun) * times),
  monotonic: () => performance.now() * times,
  schedule(ms, callback) {
    const timer = setTimeout(callback, ms / times);
    return () => clearTimeout(timer);
  },
};

const app = createApp(
  defaultConfig({
    data: directory,
    http_port: 0,
    mqtt_port: 0,
    http_host: "127.0.0.1",
    mqtt_host: "127.0.0.1",
    outbound_allow: "127.0.0.1",
  }),
  { clock },
);
if (app.services.setup.isRequired())
  await app.services.setup.createOwner({
    email: "owner@plant.example",
    password: "a long enough password 7",
    fullName: "Owner",
    tenantName: "Plant",
  });
await app.start();
process.stdout.write(`ready ${app.url}\n`);
