import { detail } from "../../lib/domain-error.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";
import type { Outcome } from "./alarm-evaluation.ts";
import type { AlarmLife } from "./alarm-life.ts";
import { renderMessage } from "./alarm-message.ts";
import { type AlarmRule, type CreateTrigger, rankOf } from "./alarm-rule.ts";
import type { DeviceState } from "./device-state.ts";

interface Act {
  /** It raises an alarm, or makes it more severe. */
  readonly rises: boolean;
  run(): void;
}

/** What a rule's outcome does to the alarm of its type; undefined for nothing. */
export function createActs(life: AlarmLife) {
  function messageOf(
    device: IngestDevice,
    rule: AlarmRule,
    of: { raised: CreateTrigger; state: DeviceState },
  ) {
    const { raised, state } = of;
    const names = { deviceName: device.name, alarmType: rule.alarmType, severity: raised.severity };
    return renderMessage(raised.message, names, state.values);
  }

  return function actOn(
    device: IngestDevice,
    rule: AlarmRule,
    { outcome, state }: { outcome: Outcome; state: DeviceState },
  ): Act | undefined {
    const { raised, isOver } = outcome;
    const { alarmType } = rule;
    const open = state.open.get(alarmType);
    if (open === undefined) {
      if (raised === undefined) return undefined;
      const gatewayId = (rule.propagates && device.parentDeviceId) || null;
      const what = { alarmType, severity: raised.severity, gatewayId };
      const run = () => {
        life.raise(device, { ...what, message: messageOf(device, rule, { raised, state }) });
      };
      return { rises: true, run };
    }
    if (isOver)
      return { rises: false, run: () => life.clear(open, null, detail("alarm_event.condition_over")) };
    if (raised === undefined) return undefined;
    const rise = rankOf(raised.severity) - rankOf(open.severity);
    if (rise === 0 || (rise < 0 && !rule.downgrade)) return undefined;
    const run = () => {
      life.changeSeverity(open, raised.severity, messageOf(device, rule, { raised, state }));
    };
    return { rises: rise > 0, run };
  };
}
