import type { CommandEngine } from "../modules/commands/command-engine.ts";
import { createDeviceClaims } from "./device-claims.ts";
import { createCommandAnswers } from "./device-commands.ts";
import { createDeviceRequests, type DeviceRequestsDeps } from "./device-requests.ts";
import type { createGateways } from "./gateways.ts";
import type { DeviceMessageHandler } from "./listed-errors.ts";

type ClaimsDeps = Parameters<typeof createDeviceClaims>[0];

interface DeviceMessagesDeps
  extends Omit<DeviceRequestsDeps, "source" | "publish">,
    Pick<ClaimsDeps, "claiming"> {
  readonly commands: Pick<CommandEngine, "answered">;
  readonly gateways: Pick<ReturnType<typeof createGateways>, "onMessage">;
  durable(): Promise<void>;
}

/** Creates the handler for messages of devices other than telemetry and attributes: requests, responses to commands, claiming requests, and what gateways say. */
export const createDeviceMessages =
  (deps: DeviceMessagesDeps) =>
  (source: "mqtt" | "ws", publish: DeviceRequestsDeps["publish"]): DeviceMessageHandler => {
    const requests = createDeviceRequests({ ...deps, source, publish });
    const answers = createCommandAnswers({ ...deps, source });
    const claims = createDeviceClaims({ ...deps, source });
    return (device, topic, bytes) =>
      requests(device, topic, bytes) ??
      answers(device, topic, bytes) ??
      claims(device, topic, bytes) ??
      deps.gateways.onMessage(source, device, { topic, bytes });
  };
