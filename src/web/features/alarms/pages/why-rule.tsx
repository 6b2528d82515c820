import { Check, Minus } from "lucide-preact";
import type { KeyMetadataMap } from "../../../../lib/keys/key-metadata.ts";
import { durationText } from "../../../platform/i18n/duration-text.ts";
import { formatDate, toMs } from "../../../platform/i18n/format.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { keysOfDevice } from "../../../platform/key-metadata.ts";
import { useLive } from "../../../platform/live.ts";
import { useKept } from "../../../platform/resource.ts";
import { may } from "../../../platform/session.ts";
import { useCoalesced } from "../../../platform/use-coalesced.ts";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { type Alarm, alarmsApi, type ConditionPart, type TriggerState } from "../alarms-api.ts";
import { conditionText, valueText } from "../condition-text.ts";
import { ruleHref } from "../rule-href.ts";
import { SeverityWord } from "../severity.tsx";

const stamp = (time: string): string => formatDate(toMs(time) ?? 0, "zoned");

/** Current state of the rule of an alarm: each part with its current value. */
export function WhyRule({ alarm: { deviceId, profileId, name: alarmType } }: { alarm: Alarm }) {
  const loaded = useKept(() => alarmsApi.explain(deviceId), [deviceId]);
  const reloadSoon = useCoalesced(loaded.reload);
  useLive({ topics: ["telemetry", "alarms"], deviceIds: [deviceId] }, reloadSoon);
  const keys = keysOfDevice(deviceId);
  const rule = loaded.data?.find((candidate) => candidate.alarmType === alarmType);
  return (
    <section class="panel flex flex-col gap-4 p-4" aria-labelledby="alarm-why">
      <div class="flex flex-wrap items-center justify-between gap-3">
        <h2 id="alarm-why" class="font-semibold">
          {t("alarms.why")}
        </h2>
        {rule !== undefined && (
          <a class="link text-sm" href={ruleHref({ profileId, alarmType })}>
            {t(may("profiles:write") ? "alarms.editRule" : "alarms.showRule")}
          </a>
        )}
      </div>
      <Loaded of={loaded}>{() => rule === undefined && <p class="text-soft">{t("alarms.noRule")}</p>}</Loaded>
      {rule?.heldUntil !== undefined && (
        <p class="text-sm text-warning">{t("alarms.heldUntil", { time: stamp(rule.heldUntil) })}</p>
      )}
      {rule?.triggers.map((trigger, index) => (
        <Trigger key={index} trigger={trigger} keys={keys} />
      ))}
    </section>
  );
}

function Trigger({ trigger, keys }: { trigger: TriggerState; keys: KeyMetadataMap | undefined }) {
  const { severity, kind, isMet } = trigger;
  return (
    <div class="flex flex-col gap-1.5" data-testid="trigger">
      <p class="flex flex-wrap items-center gap-x-3 text-sm">
        {severity === null ? (
          <span class="font-medium">{t("alarms.clearRule")}</span>
        ) : (
          <SeverityWord severity={severity} />
        )}
        <span class={isMet ? "font-medium" : "text-soft"}>{t(isMet ? "alarms.met" : "alarms.notMet")}</span>
        {kind === "DURATION" && (
          <span class="text-soft">
            {t("alarms.lasting", { time: durationText(trigger.forMs ?? 0) })}
            {trigger.metAt !== undefined && ` · ${t("alarms.metAt", { time: stamp(trigger.metAt) })}`}
          </span>
        )}
        {kind === "REPEATING" && (
          <span class="text-soft">
            {t("alarms.counted", {
              counted: String(trigger.counted ?? 0),
              count: String(trigger.count ?? 0),
            })}
          </span>
        )}
      </p>
      <ul class="flex flex-col gap-1 pl-4">
        <Part part={trigger.condition} keys={keys} />
      </ul>
    </div>
  );
}

function Part({ part, keys }: { part: ConditionPart; keys: KeyMetadataMap | undefined }) {
  // Attributes have no metadata.
  const metadata = part.source === "attribute" ? undefined : keys?.get(part.key ?? "");
  const inner = part.all ?? part.any ?? (part.not && [part.not]);
  const word = part.all ? "alarms.allOf" : part.any ? "alarms.anyOf" : "alarms.noneOf";
  return (
    <li class="text-sm">
      <span class="flex items-start gap-2">
        {part.holds ? (
          <Check size={14} class="mt-1 flex-none text-success" aria-hidden="true" />
        ) : (
          <Minus size={14} class="mt-1 flex-none text-soft" aria-hidden="true" />
        )}
        <span class="sr-only">{t(part.holds ? "alarms.holds" : "alarms.holdsNot")}</span>
        {inner === undefined ? (
          <span class="min-w-0 wrap-anywhere">
            {conditionText(part, metadata)}
            <span class="reading text-soft">{` · ${t("alarms.now", { value: valueText(part.actual, metadata) })}`}</span>
          </span>
        ) : (
          <span>{t(word)}</span>
        )}
      </span>
      {inner !== undefined && (
        <ul class="flex flex-col gap-1 pl-6">
          {inner.map((child, index) => (
            <Part key={index} part={child} keys={keys} />
          ))}
        </ul>
      )}
    </li>
  );
}
