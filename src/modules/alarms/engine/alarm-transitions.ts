import type { ConditionScope } from "../../../lib/alarms/condition.ts";
import { compareSeverities } from "../../../lib/alarms/severity.ts";
import { detail } from "../../../lib/core/domain-error.ts";
import type { KeyMetadataMap } from "../../../lib/keys/key-metadata.ts";
import type { IngestDevice } from "../../ingest/ingest.types.ts";
import { renderMessage, tellCondition } from "../actions/alarm-message.ts";
import type { AlarmLifecycle } from "../alarm-lifecycle.ts";
import type { AlarmRule, CreateTrigger } from "../rules/alarm-rule.ts";
import type { Outcome } from "./alarm-evaluation.ts";
import type { DeviceState } from "./device-state.ts";

interface Act {
  /** True if the outcome raises an alarm or increases its severity. */
  readonly rises: boolean;
  run(): void;
}

/** Creates the function that applies a rule's outcome to the alarm of its type; it returns `undefined` if nothing changes. */
export function createTransitions(deps: {
  lifecycle: AlarmLifecycle;
  keysOf: (device: IngestDevice) => KeyMetadataMap;
}) {
  const { lifecycle, keysOf } = deps;

  function messageOf(
    device: IngestDevice,
    rule: AlarmRule,
    of: { raised: CreateTrigger; state: DeviceState; scope: ConditionScope },
  ) {
    const { raised, state, scope } = of;
    const { values } = state;
    const names = { deviceName: device.name, alarmType: rule.alarmType, severity: raised.severity };
    const keys = keysOf(device);
    // Its work was counted when the rule was evaluated.
    const uncounted = { ...scope, key: (name: string) => values.get(name)?.value };
    const told = () => tellCondition(raised.comparisons, uncounted, keys);
    return renderMessage(raised.message, names, { values, keys, told });
  }

  return function actOn(
    device: IngestDevice,
    rule: AlarmRule,
    { outcome, state, scope }: { outcome: Outcome; state: DeviceState; scope: ConditionScope },
  ): Act | undefined {
    const { raised, isOver } = outcome;
    const { alarmType } = rule;
    const open = state.open.get(alarmType);
    if (open === undefined) {
      if (raised === undefined) return undefined;
      const gatewayId = (rule.propagates && device.parentDeviceId) || null;
      const options = { alarmType, severity: raised.severity, gatewayId };
      const run = () => {
        lifecycle.raise(device, { ...options, ...messageOf(device, rule, { raised, state, scope }) });
      };
      return { rises: true, run };
    }
    if (isOver)
      return { rises: false, run: () => lifecycle.clear(open, null, detail("alarm_event.condition_over")) };
    if (raised === undefined) return undefined;
    const rise = compareSeverities(raised.severity, open.severity);
    if (rise === 0 || (rise < 0 && !rule.downgrade)) return undefined;
    const run = () => {
      lifecycle.changeSeverity(open, {
        severity: raised.severity,
        ...messageOf(device, rule, { raised, state, scope }),
      });
    };
    return { rises: rise > 0, run };
  };
}
