import { afterEach } from "bun:test";
import { type Running, startMqtt } from "./mqtt-fixture.ts";

/** Starts servers that are stopped, and their files removed, after each test of the file. */
export function serverPerTest(): typeof startMqtt {
  const running: Running[] = [];
  afterEach(async () => {
    for (const mqtt of running.splice(0).reverse()) await mqtt.stop();
  });
  return async (...args) => {
    const mqtt = await startMqtt(...args);
    running.push(mqtt);
    return { ...mqtt, restart: async () => keep(running, await mqtt.restart()) };
  };
}

function keep(running: Running[], mqtt: Running): Running {
  running.push(mqtt);
  return mqtt;
}
