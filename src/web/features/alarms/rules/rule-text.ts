import type { KeyMetadataMap } from "../../../../lib/keys/key-metadata.ts";
import { durationText } from "../../../platform/i18n/duration-text.ts";
import { plural, t } from "../../../platform/i18n/i18n.ts";
import { conditionText } from "../condition-text.ts";
import {
  type ConditionForm,
  DAYS,
  type RuleForm,
  type RuleScopeForm,
  readValue,
  type TriggerForm,
} from "./rule-form.ts";

function rowsText(condition: ConditionForm, keys: KeyMetadataMap | undefined): string {
  if ("json" in condition) return t("rule.ownCondition");
  const texts = condition.rows.map(({ key, op, value, attribute, forMs }) => {
    const metadata = keys?.get(key);
    if (op === "NO_DATA")
      return conditionText({ key, forMs: forMs ?? undefined, isObserved: forMs === null }, metadata);
    if (attribute !== "") return conditionText({ key, op, attribute: { key: attribute } }, metadata);
    const list =
      op === "IN" || op === "BETWEEN" ? value.split(",").map((part) => readValue(part)) : undefined;
    return conditionText({ key, op, value: list ?? readValue(value) }, metadata);
  });
  return texts.join(` ${t(condition.join === "all" ? "rule.and" : "rule.or")} `);
}

function triggerText(
  { condition, kind, forMs, count, withinMs }: TriggerForm,
  keys: KeyMetadataMap | undefined,
): string {
  const subject = rowsText(condition, keys);
  if (kind === "DURATION") return t("rule.lasting", { what: subject, time: durationText(forMs) });
  if (kind === "SIMPLE") return subject;
  return withinMs === null
    ? t("rule.inRow", { what: subject, count: String(count) })
    : t("rule.within", { what: subject, count: String(count), time: durationText(withinMs) });
}

const scopeText = ({ deviceIds, deviceTypes, tags }: RuleScopeForm): string =>
  [
    ...(deviceIds.length > 0 ? [plural("rule.watchesDevices", deviceIds.length)] : []),
    ...(deviceTypes.length > 0 ? [t("rule.watchesTypes", { names: deviceTypes.join(", ") })] : []),
    ...(tags.length > 0 ? [t("rule.watchesTags", { names: tags.join(", ") })] : []),
  ].join(` ${t("rule.or")} `);

/** Describes the rule in sentences: `Major “Overheated” when t is above 50. It ends when t is below 40.` */
export function ruleText(rule: RuleForm, keys?: KeyMetadataMap): string {
  const name = rule.alarmType.trim() === "" ? "…" : rule.alarmType.trim();
  const raises = rule.creates.map((create) =>
    t("rule.raises", { severity: t(`severity.${create.severity}`), name, what: triggerText(create, keys) }),
  );
  const ends =
    rule.clear === null ? t("rule.endsByItself") : t("rule.ends", { what: triggerText(rule.clear, keys) });
  const { schedule } = rule;
  const days =
    schedule === null || schedule.days.length === DAYS.length
      ? t("rule.everyDay")
      : DAYS.filter((day) => schedule.days.includes(day))
          .map((day) => t(`day.${day}`))
          .join(", ");
  return [
    ...(rule.enabled ? [] : [t("rule.isOff")]),
    ...raises,
    ends,
    ...(rule.downgrade ? [t("rule.falls")] : []),
    ...(schedule === null
      ? []
      : [t("rule.only", { days, from: schedule.from, to: schedule.to, zone: schedule.timezone })]),
    ...(rule.propagateToGateway ? [t("rule.propagates")] : []),
    ...(rule.appliesTo === null ? [] : [t("rule.watchesOnly", { what: scopeText(rule.appliesTo) })]),
  ].join(" ");
}
