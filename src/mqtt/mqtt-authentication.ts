import type { DeviceDirectory } from "../modules/devices/device-directory.ts";
import type { MqttServerDeps } from "./mqtt.types.ts";

/** Devices sign in with their access token as the user name; a password, if any, is not looked at. */
export function createMqttAuthentication(deps: {
  directory: DeviceDirectory;
}): MqttServerDeps["authenticate"] {
  return ({ username }) => {
    if (username === undefined || username === "") return { ok: false, reason: "bad_credentials" };
    const device = deps.directory.findByToken(username);
    return device === undefined ? { ok: false, reason: "bad_credentials" } : { ok: true, device };
  };
}
