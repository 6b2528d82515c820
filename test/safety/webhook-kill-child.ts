import { createApp } from "../../src/app.ts";
import type { Clock } from "../../src/platform/clock.ts";
import { defaultConfig } from "../../src/platform/config.ts";

/** A gateway whose time runs faster, so that an hour passes in seconds; it goes on where it was when it is started again. */
const [, , directory = "", begun = "", factor = ""] = process.argv;
const times = Number(factor);
const wallBegun = Date.parse("2026-03-01T00:00:00Z");

const clock: Clock = {
  now: () => wallBegun + Math.floor((Date.now() - Number(begun)) * times),
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
