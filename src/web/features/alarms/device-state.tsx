import type { DeviceState as State } from "../../../lib/devices/device-state.ts";
import { StateLamp, stateText } from "../../ui/state/state-lamp.tsx";
import { openAlarms } from "./open-alarm-store.ts";

/** Shows the state of a device: the worst of its connection and its open alarms, including those of the children of a gateway. */
export function DeviceState(props: { deviceId: string; state: State; bare?: boolean }) {
  const { deviceId, ...lamp } = props;
  return <StateLamp {...lamp} {...openAlarms.value?.worstOf.get(deviceId)} />;
}

/** Returns the text about the alarm of a device, or of a child of the gateway; undefined without one. */
export function alarmText(deviceId: string): string | undefined {
  const worst = openAlarms.value?.worstOf.get(deviceId);
  return worst && stateText({ state: "ACTIVE", ...worst });
}
