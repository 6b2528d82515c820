import { StateLamp } from "../../ui/state-lamp.tsx";
import { openAlarms } from "./open-alarm-store.ts";

/** Shows the state of a device: the worst of its connection and its open alarms, a gateway's children included. */
export function DeviceState(props: { deviceId: string; active: boolean; bare?: boolean }) {
  const { deviceId, ...lamp } = props;
  const worst = openAlarms.value?.worstOf.get(deviceId);
  return <StateLamp {...lamp} severity={worst?.severity} isOfChild={worst?.isOfChild === true} />;
}
